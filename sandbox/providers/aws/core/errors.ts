/** The name that AWS gave an error, such as `InvalidVpcID.NotFound`. */
export function awsCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const code: unknown = Reflect.get(error, "Code") ?? Reflect.get(error, "code");
  const name: unknown = Reflect.get(error, "name");
  return typeof name === "string" && name !== "Error" ? name : typeof code === "string" ? code : "";
}

/** Whether AWS said anything at all, so that it is known whether the call was carried out. */
export function wasAnswered(error: unknown): boolean {
  const metadata: unknown =
    typeof error === "object" && error !== null ? Reflect.get(error, "$metadata") : undefined;
  return typeof metadata === "object" && metadata !== null && Reflect.has(metadata, "httpStatusCode");
}

/** Whether AWS says that the thing asked for is not there. */
export function isAbsent(error: unknown): boolean {
  const code = awsCode(error);
  return /(NotFound(Exception|Error|Fault)?|^NoSuch\w*)$/.test(code);
}

/** Whether AWS refuses a delete only because something that uses the thing is still on its way out. */
export function isStillUsed(error: unknown): boolean {
  if (awsCode(error) === "InvalidParameterValue" && messageOf(error).includes("in use")) return true;
  return [
    "DependencyViolation",
    "DeleteConflict",
    "ResourceInUse",
    "ResourceInUseException",
    "ResourceInUseFault",
    "VolumeInUse",
    "InvalidGroup.InUse",
    "InvalidNetworkInterface.InUse",
    "InvalidIPAddress.InUse",
    "ScalingActivityInProgress",
    "OperationAborted",
  ].includes(awsCode(error));
}

/** An error that names where to find what this provider lacks. */
export class NotInSandbox extends Error {
  constructor(what: string) {
    super(
      `${what} is not part of the sandbox's aws provider, which knows only what Fleetwright's own components use. ` +
        "Install the official one, which is then used instead: pulumi plugin install resource aws 7.48.0",
    );
  }
}

/** Whether AWS refuses to make something because it does not see yet what was just created. */
export function isNotVisibleYet(error: unknown): boolean {
  return /Invalid IAM Instance Profile|(cannot|could not) be assumed|Invalid principal in policy/i.test(
    messageOf(error),
  );
}

function messageOf(error: unknown): string {
  const message: unknown =
    typeof error === "object" && error !== null ? Reflect.get(error, "message") : undefined;
  return typeof message === "string" ? message : "";
}

/** What went wrong, with the name that AWS gave it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "Error" ? error.message : `${error.name}: ${error.message}`;
}
