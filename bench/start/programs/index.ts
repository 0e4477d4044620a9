import * as pulumi from "@pulumi/pulumi";

/** Nothing but the engine, the language host and the SDK. */
export const stack: string = pulumi.getStack();
