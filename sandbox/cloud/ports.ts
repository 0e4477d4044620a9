// Where the sandbox's network finds what the host serves for it.
/** The port of the RKE2 stand-in's releases at {@link SERVICES_ADDRESS}. */
export const RELEASES_PORT = 8080;

/** The port of the sandbox's image registry at {@link SERVICES_ADDRESS}. */
export const REGISTRY_PORT = 5000;

/** The port of the AWS API inside a sandbox's network, where nothing else can take it. */
export const AWS_PORT = 4566;
