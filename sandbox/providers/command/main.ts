// Starts the sandbox's own provider for `@pulumi/command`.
import { version } from "@pulumi/command/package.json";
import { serve } from "../shell/serve";
import { commandProvider } from "./provider";

void serve(commandProvider(version));
