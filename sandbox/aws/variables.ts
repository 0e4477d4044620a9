/** Any key is taken; these are AWS's own examples of something that is no secret. */
export const CREDENTIALS = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "sandbox" };

/** Variables that make AWS's tools, SDKs and the engine's provider talk to the sandbox. */
export function awsVariables({
  endpoint,
  region,
}: {
  endpoint: string;
  region: string;
}): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_S3_US_EAST_1_REGIONAL_ENDPOINT: "regional",
  };
}
