// Starts the sandbox's own provider for `@pulumi/tls`.
import { version } from "@pulumi/tls/package.json";
import { serve } from "../shell/serve";
import { tlsProvider } from "./provider";

void serve(tlsProvider(version));
