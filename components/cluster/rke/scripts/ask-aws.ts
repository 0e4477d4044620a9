/** Where the program lies on a node. */
export const ASK_AWS_FILE = "/usr/local/sbin/fleetwright-aws";

/**
 * A Python program that asks AWS the little that a node of a pool has to know, with the instance's own role:
 *
 * - `parameter REGION ENDPOINT NAME` prints the value of a parameter of Systems Manager;
 * - `zone` prints the availability zone of the instance;
 * - `lifecycle-state` prints what the auto scaling group wants of the instance: `InService`, or `Terminated`;
 * - `go-on REGION ENDPOINT GROUP HOOK INSTANCE` tells the group that what it waited for is done.
 *
 * Every image with cloud-init has Python; none is sure to have the AWS CLI. No credential appears in a command line. The
 * instance metadata is asked the way of IMDSv2.
 */
export const ASK_AWS = `#!/usr/bin/env python3
import datetime, hashlib, hmac, json, os, sys, urllib.error, urllib.request
from urllib.parse import urlencode, urlsplit

METADATA = os.environ.get("METADATA_URL", "http://169.254.169.254") + "/latest"


def call(request, done=None):
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        detail = error.read().decode(errors="replace")[:500]
        if done is not None and done in detail:
            return b""
        sys.exit(f"{request.get_method()} {request.full_url} answered {error.code}: {detail}")
    except (urllib.error.URLError, OSError) as error:
        sys.exit(f"{request.full_url} cannot be reached: {error}")


def metadata(*paths):
    lifetime = {"X-aws-ec2-metadata-token-ttl-seconds": "300"}
    token = call(urllib.request.Request(f"{METADATA}/api/token", method="PUT", headers=lifetime)).decode()
    header = {"X-aws-ec2-metadata-token": token}
    text = ""
    for path in paths:
        name = (text.split() or [""])[0]
        text = call(urllib.request.Request(f"{METADATA}/meta-data/{path}{name}", headers=header)).decode()
    return text


def signed(service, region, endpoint, body, headers):
    """The request with AWS Signature Version 4 and the role's credentials."""
    credentials = json.loads(metadata("iam/security-credentials/", "iam/security-credentials/"))
    now = datetime.datetime.now(datetime.timezone.utc)
    endpoint = endpoint.rstrip("/")
    moment, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    headers = {
        **headers,
        "host": urlsplit(endpoint).netloc,
        "x-amz-date": moment,
        "x-amz-security-token": credentials["Token"],
    }
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\\n" for name in sorted(headers))
    canonical = f"POST\\n/\\n\\n{lines}\\n{names}\\n{hashlib.sha256(body).hexdigest()}"
    scope = f"{day}/{region}/{service}/aws4_request"
    text = f"AWS4-HMAC-SHA256\\n{moment}\\n{scope}\\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = ("AWS4" + credentials["SecretAccessKey"]).encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={credentials['AccessKeyId']}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    return urllib.request.Request(f"{endpoint}/", data=body, headers=headers, method="POST")


def parameter(region, endpoint, name):
    body = json.dumps({"Name": name, "WithDecryption": True}).encode()
    headers = {"content-type": "application/x-amz-json-1.1", "x-amz-target": "AmazonSSM.GetParameter"}
    return json.loads(call(signed("ssm", region, endpoint, body, headers)))["Parameter"]["Value"]


def go_on(region, endpoint, group, hook, instance):
    action = {"Action": "CompleteLifecycleAction", "Version": "2011-01-01", "LifecycleActionResult": "CONTINUE"}
    fields = {**action, "AutoScalingGroupName": group, "LifecycleHookName": hook, "InstanceId": instance}
    headers = {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}
    # Where nothing waits, somebody or the time was faster.
    call(signed("autoscaling", region, endpoint, urlencode(fields).encode(), headers), "No active Lifecycle Action")
    return ""


def lifecycle_state():
    return metadata("autoscaling/target-lifecycle-state")


def zone():
    return metadata("placement/availability-zone")


if __name__ == "__main__":
    commands = {"parameter": parameter, "go-on": go_on, "lifecycle-state": lifecycle_state, "zone": zone}
    sys.stdout.write(commands[sys.argv[1]](*sys.argv[2:]))
`;
