import { ASK_AWS_FILE } from "./ask-aws";

/**
 * A Python program that the kubelet runs before it pulls an image from ECR: it asks ECR for a password with the role of the
 * instance, and hands it over on its standard output, as the kubelet's credential providers do. No image has to bring a
 * program of AWS for it, and none is downloaded.
 */
export const ECR_CREDENTIALS = `#!/usr/bin/env python3
import base64, json, os, re, sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

# Its name has no ending by which Python would know it.
loader = SourceFileLoader("ask_aws", os.environ.get("ASK_AWS", "${ASK_AWS_FILE}"))
ask_aws = module_from_spec(spec_from_loader("ask_aws", loader))
loader.exec_module(ask_aws)

image = json.load(sys.stdin)["image"]
host = image.split("/")[0]
found = re.fullmatch(r"\\d{12}\\.dkr\\.ecr\\.([a-z0-9-]+)\\.(amazonaws\\.com(?:\\.cn)?)", host)
if found is None:
    sys.exit(f"{host} is no registry of ECR")
region, suffix = found.groups()
endpoint = os.environ.get("ECR_ENDPOINT", f"https://api.ecr.{region}.{suffix}")
target = "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken"
headers = {"content-type": "application/x-amz-json-1.1", "x-amz-target": target}
answer = json.loads(ask_aws.call(ask_aws.signed("ecr", region, endpoint, b"{}", headers)))
token = base64.b64decode(answer["authorizationData"][0]["authorizationToken"]).decode()
username, password = token.split(":", 1)
json.dump(
    {
        "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
        "kind": "CredentialProviderResponse",
        "cacheKeyType": "Registry",
        # A password is good for twelve hours.
        "cacheDuration": "6h",
        "auth": {host: {"username": username, "password": password}},
    },
    sys.stdout,
)
`;
