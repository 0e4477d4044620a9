// Writes role.yaml from what the parts declare. With --check it writes nothing and fails if the file is stale.
import { generateDocuments } from "../program/generate-documents";
import { PARTS } from "./parts";
import { rolesOf } from "./role";

void generateDocuments({
  file: "controllers/agent/role.yaml",
  by: "controllers/agent/generate.ts",
  from: "what each controller declares",
  documents: rolesOf(PARTS),
});
