import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";
import { importBoundaries } from "./scripts/lint/import-boundaries.mjs";

export default tseslint.config(
  {
    ignores: [
      "node_modules/",
      "**/dist/",
      ".sandbox/",
      "coverage/",
      "bench/results/",
      "**/testdata/",
      "**/programs/",
    ],
  },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // Numbers and booleans read well in messages as they are.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      // A deliberate `() => {}` and an interface method without await are clearer than their workarounds.
      "@typescript-eslint/no-empty-function": "off",
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ["**/*.ts", "**/*.js", "**/*.mjs"],
    plugins: { fleetwright: { rules: { "import-boundaries": importBoundaries } } },
    rules: { "fleetwright/import-boundaries": "error" },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: {
      globals: {
        clearInterval: "readonly",
        process: "readonly",
        setInterval: "readonly",
        require: "readonly",
        module: "writable",
        __filename: "readonly",
        __dirname: "readonly",
      },
    },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  prettier,
);
