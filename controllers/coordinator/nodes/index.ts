export { nodes, nodesWith, TIMING, type NodesTiming } from "./controller";
