/** Make what `npm pack` packs besides the sources: declarations from the JSDoc, and the licence of the repository. */
import { execSync } from "node:child_process";
import { copyFile, rm } from "node:fs/promises";

await rm("types", { recursive: true, force: true });
execSync("tsc --project tsconfig.types.json", { stdio: "inherit" });
// The compiler leaves out what is a declaration already.
await copyFile("src/types.d.ts", "types/src/types.d.ts");
await copyFile("../../LICENSE", "LICENSE");
