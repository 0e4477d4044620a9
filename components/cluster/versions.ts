import { EKS_VERSIONS, RKE2_VERSIONS, RKE_VERSIONS, VERSIONS_CHECKED } from "../../api/kubernetes-versions";
import { found, type Problem } from "../problem";

const FORMS = {
  rke2: { lines: RKE2_VERSIONS, form: /^v(1\.\d+)\.\d+\+rke2r\d+$/, example: "v1.35.7+rke2r1" },
  rke: { lines: RKE_VERSIONS, form: /^v(1\.\d+)\.\d+-rancher\d+-\d+$/, example: "v1.30.14-rancher1-1" },
  hosted: { lines: EKS_VERSIONS, form: /^(1\.\d+)$/, example: "1.35" },
} as const;

/** What is wrong with a version. */
export function versionProblems(kind: keyof typeof FORMS, version: string, path = "version"): Problem[] {
  const { lines, form, example } = FORMS[kind];
  const minor = form.exec(version)?.[1];
  const known = lines.map(({ latest }) => latest).join(", ");
  if (minor === undefined) {
    return [{ path, message: found(version, `use a version like ${example}`) }];
  }
  return lines.some((line) => line.minor === minor)
    ? []
    : [
        {
          path,
          message: found(
            version,
            `${minor} is not supported (as of ${VERSIONS_CHECKED}); use a version of these lines: ${known}`,
          ),
        },
      ];
}
