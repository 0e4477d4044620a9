import { version } from "@pulumi/aws/package.json";
import { serve } from "../shell/serve";
import { awsProvider } from "./provider";

// The SDK's notice about coming Node versions would stand in the output of every `pulumi up`.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

void serve(awsProvider(version));
