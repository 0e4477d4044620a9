/**
 * A Python program that reads one parameter of AWS Systems Manager with the instance's own role and prints its value:
 * `read-parameter REGION ENDPOINT NAME`. Every image with cloud-init has Python; none is sure to have the AWS CLI. No
 * credential appears in a command line. The instance metadata is asked the way of IMDSv2.
 */
export const READ_PARAMETER = `#!/usr/bin/env python3
import datetime, hashlib, hmac, json, os, sys, urllib.error, urllib.request
from urllib.parse import urlsplit

METADATA = os.environ.get("METADATA_URL", "http://169.254.169.254") + "/latest"


def call(request):
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        detail = error.read().decode(errors="replace")[:500]
        sys.exit(f"{request.get_method()} {request.full_url} answered {error.code}: {detail}")
    except (urllib.error.URLError, OSError) as error:
        sys.exit(f"{request.full_url} cannot be reached: {error}")


def metadata(path, token):
    header = {"X-aws-ec2-metadata-token": token}
    return call(urllib.request.Request(f"{METADATA}/meta-data/{path}", headers=header)).decode()


def role_credentials():
    lifetime = {"X-aws-ec2-metadata-token-ttl-seconds": "300"}
    token = call(urllib.request.Request(f"{METADATA}/api/token", method="PUT", headers=lifetime)).decode()
    role = metadata("iam/security-credentials/", token).split()[0]
    return json.loads(metadata(f"iam/security-credentials/{role}", token))


def signed(credentials, region, endpoint, body, now):
    """The request with AWS Signature Version 4."""
    moment, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    headers = {
        "content-type": "application/x-amz-json-1.1",
        "host": urlsplit(endpoint).netloc,
        "x-amz-date": moment,
        "x-amz-security-token": credentials["Token"],
        "x-amz-target": "AmazonSSM.GetParameter",
    }
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\\n" for name in sorted(headers))
    canonical = f"POST\\n/\\n\\n{lines}\\n{names}\\n{hashlib.sha256(body).hexdigest()}"
    scope = f"{day}/{region}/ssm/aws4_request"
    text = f"AWS4-HMAC-SHA256\\n{moment}\\n{scope}\\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = ("AWS4" + credentials["SecretAccessKey"]).encode()
    for part in (day, region, "ssm", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={credentials['AccessKeyId']}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    return urllib.request.Request(f"{endpoint}/", data=body, headers=headers, method="POST")


def main():
    region, endpoint, name = sys.argv[1:4]
    body = json.dumps({"Name": name, "WithDecryption": True}).encode()
    now = datetime.datetime.now(datetime.timezone.utc)
    answer = call(signed(role_credentials(), region, endpoint.rstrip("/"), body, now))
    sys.stdout.write(json.loads(answer)["Parameter"]["Value"])


if __name__ == "__main__":
    main()
`;
