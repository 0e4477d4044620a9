export { sayWhetherAhead } from "./say-whether-ahead";
