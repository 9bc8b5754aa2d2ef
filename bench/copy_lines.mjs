// The floor of bin/randomize.mjs in Node: read each line as JSON, take the random bytes, write a line of JSON.
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";

let batch = "";
for await (const line of createInterface({ input: process.stdin })) {
  const answers = JSON.parse(line);
  const draws = Object.fromEntries(Object.keys(answers).map((name) => [name, 1]));
  const id = randomBytes(16 + 8 * Object.keys(answers).length).toString("hex");
  batch += `${JSON.stringify({ v: 1, id, answers: draws })}\n`;
  if (batch.length < 64 * 1024) continue;
  process.stdout.write(batch);
  batch = "";
}
process.stdout.write(batch);
