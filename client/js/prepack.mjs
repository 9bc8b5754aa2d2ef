/** Put the licence of the repository into the package: `npm pack` packs the folder as it is, and builds nothing. */
import { copyFile } from "node:fs/promises";

await copyFile("../../LICENSE", "LICENSE");
