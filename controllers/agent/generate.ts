// Writes role.yaml from what the parts declare. With --check it writes nothing and fails if the file is stale.
import { generateRole } from "../program/generate-role";
import { PARTS } from "./parts";
import { rolesOf } from "./role";

void generateRole(__dirname, rolesOf(PARTS));
