/** An agent that lasts, kept by a program: node agent.ts "a question about this folder" */
import { agent } from "agiraph";

const helper = await agent({
  name: "helper",
  goal: "Answer questions about the folder you are given, in two sentences",
  folder: process.cwd(),
  start: false,
  onQuestion: (question) => (question.options ?? ["as you like"])[0],
});
const { text } = await helper.send(process.argv[2] ?? "What is here?");
console.log(text);
await helper.close();
