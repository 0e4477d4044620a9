// What the program takes where there is no `transforms.ts` beside it (see run.js).
import type { StackTransforms } from "./transforms";

const transforms: StackTransforms = {};

export default transforms;
