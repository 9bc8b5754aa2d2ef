/** The declarations of types/ are true of the modules: this file is checked and never run. */
import * as embed from "../embed/hushpoll-survey.js";
import * as modules from "../src/index.js";
import * as node from "../src/node.js";
import type * as declaredEmbed from "../types/embed.js";
import type * as declared from "../types/index.js";
import type * as declaredNode from "../types/node.js";

// Users have less to hold than the functions take: a manifest without its designs. So they are compared as methods.
interface Functions {
  randomize(...given: Parameters<typeof declared.randomize>): declared.Report;
  verify(...given: Parameters<typeof declared.verify>): Promise<declared.Manifest>;
}
// A manifest has sentences once it was verified: it is compared as what `verify` returns.
type Classes = Omit<typeof declared, keyof Functions | "Manifest">;

export const main: Classes & Functions = modules;
export const forNode: typeof declaredNode = node;
export const element: typeof declaredEmbed = embed;
// Nothing is missing: every name of the modules is declared.
export const names: readonly (keyof typeof declared)[] = Object.keys(modules) as (keyof typeof modules)[];
