/** What is for Node alone. */
import type { Entry, State } from "./state.js";

/** A state in one file that threads and processes of one machine may share. */
export declare class FileState implements State {
  /** The file is made when first needed, readable by its owner only. */
  constructor(path: string);
  read(): Promise<readonly Entry[]>;
  update(change: (entries: readonly Entry[]) => Entry): Promise<Entry>;
}
