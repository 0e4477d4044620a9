import { policyDocument } from "./policy-document";

it("writes statements as the official provider does", () => {
  const document = policyDocument({
    statements: [
      {
        sid: "one",
        actions: ["sts:AssumeRole", "sts:TagSession"],
        principals: [{ type: "Service", identifiers: ["pods.eks.amazonaws.com"] }],
        conditions: [{ test: "StringEquals", variable: "aws:username", values: ["&{aws:username}"] }],
      },
      { effect: "Deny", actions: ["*"], resources: ["*"], principals: [{ type: "*", identifiers: ["*"] }] },
    ],
  });
  expect(document).toEqual({
    Version: "2012-10-17",
    Statement: [
      {
        Sid: "one",
        Effect: "Allow",
        Action: ["sts:TagSession", "sts:AssumeRole"],
        Principal: { Service: "pods.eks.amazonaws.com" },
        Condition: { StringEquals: { "aws:username": "${aws:username}" } },
      },
      { Effect: "Deny", Action: "*", Resource: "*", Principal: "*" },
    ],
  });
});

it("puts other documents before its own statements, and overrides by Sid", () => {
  const statement = (Sid: string, Action: string): string =>
    JSON.stringify({ Statement: [{ Sid, Effect: "Allow", Action }] });
  const document = policyDocument({
    sourcePolicyDocuments: [statement("source", "a:A")],
    statements: [{ sid: "own", actions: ["b:B"] }],
    overridePolicyDocuments: [statement("own", "c:C")],
  });
  expect(document.Statement).toEqual([
    { Sid: "source", Effect: "Allow", Action: "a:A" },
    { Sid: "own", Effect: "Allow", Action: "c:C" },
  ]);
});
