/** What the engine writes for a text that is not known yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Properties of a resource, and beside them what is not a property. */
export interface Example {
  readonly [property: string]: unknown;
  /** @default the first type of the policy */
  readonly $type?: string;
  /** @default "example" */
  readonly $name?: string;
  readonly $protect?: boolean;
  readonly $provider?: Readonly<Record<string, unknown>>;
  /** The names of what a property was made from. */
  readonly $from?: Readonly<Record<string, readonly string[]>>;
}

/** Examples for a policy; for a policy of a stack each is a list of resources. */
export interface Cases {
  readonly passes: readonly (Example | readonly Example[])[];
  /** With a part of the message. */
  readonly fails: readonly (readonly [Example | readonly Example[], string])[];
  readonly unknown: readonly (Example | readonly Example[])[];
}
