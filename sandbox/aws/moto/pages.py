"""Pages of DescribeSecurityGroups, which moto leaves out: with MaxResults AWS gives so many, and a token for the next ones."""

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses.security_groups import SecurityGroups

LEAST, MOST = 5, 1000


def _paged(describe):
    def describe_security_groups(self):
        result = describe(self)
        size, token = self._get_int_param("MaxResults"), self._get_param("NextToken")
        if size is None:
            return result
        if not LEAST <= size <= MOST:
            raise EC2ClientError(
                "InvalidParameterValue",
                f"Value ( {size} ) for parameter maxResults is invalid. Expecting a value between {LEAST} and {MOST}.",
            )
        if token is not None and not token.isdigit():
            raise EC2ClientError("InvalidPaginationToken", "The token is invalid.")
        groups = list(result.result["SecurityGroups"])
        start = int(token or 0)
        more = {"NextToken": str(start + size)} if start + size < len(groups) else {}
        return ActionResult({"SecurityGroups": groups[start : start + size], **more})

    return describe_security_groups


def apply():
    """Lets moto give security groups by pages."""
    SecurityGroups.describe_security_groups = _paged(SecurityGroups.describe_security_groups)
