/**
 * Make what `npm pack` packs besides the sources: declarations from the JSDoc, and the licence of the repository.
 *
 * The modules write `T.Report` for a shape of src/types.d.ts. A package must not put a global name into the programs of
 * its users, so each shape is imported by its path instead.
 */
import { execSync } from "node:child_process";
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

await rm("types", { recursive: true, force: true });
execSync("tsc --project tsconfig.types.json", { stdio: "inherit" });
for (const name of await readdir("types/src", { recursive: true })) {
  if (!name.endsWith(".d.ts")) continue;
  const path = join("types", "src", name);
  const shapes = name.startsWith("designs") ? "../types.js" : "./types.js";
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(/\bT\.(?=[A-Z])/g, `import("${shapes}").`));
}
const shapes = await readFile("src/types.d.ts", "utf8");
await writeFile("types/src/types.d.ts", shapes.replace("export as namespace T;\n", ""));
await copyFile("../../LICENSE", "LICENSE");
