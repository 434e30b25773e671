/**
 * One peer of JSON-RPC over lines: requests with their responses, and requests from the other side. The timeout of a response is left to the
 * session (session/session.ts).
 */
import { type Fields, fieldsOf, textOf } from "./fields.ts";

export interface Rpc {
  request(method: string, params: object, then?: (result: Fields) => void, failed?: (error: RpcError) => void): void;
  notify(method: string, params?: object): void;
  answer(id: unknown, result: object): void;
  refuse(id: unknown, message: string): void;
  hear(message: Fields): void;
}

export interface RpcError {
  code: number | undefined;
  message: string;
  data: unknown;
}

/** What the other side sends by itself. */
export interface RpcPeer {
  /** Must be answered or refused by its id. */
  request(method: string, params: Fields, id: unknown): void;
  notification(method: string, params: Fields): void;
  /** An error without a waiting caller. */
  failed(method: string, error: RpcError): void;
}

export function createRpc(send: (message: object) => void, peer: RpcPeer): Rpc {
  const waiting = new Map<
    number,
    { method: string; then?: (result: Fields) => void; failed?: (error: RpcError) => void }
  >();
  let count = 0;

  function hearAnswer(id: unknown, message: Fields): void {
    const asked = waiting.get(id as number);
    if (!asked) return;
    waiting.delete(id as number);
    if (message.error === undefined) return void asked.then?.(fieldsOf(message.result));
    const { code, message: words, data } = fieldsOf(message.error);
    const error = { code: typeof code === "number" ? code : undefined, message: textOf(words), data };
    if (asked.failed) asked.failed(error);
    else peer.failed(asked.method, error);
  }

  return {
    request(method, params, then, failed) {
      const id = ++count;
      waiting.set(id, { method, ...(then && { then }), ...(failed && { failed }) });
      send({ jsonrpc: "2.0", id, method, params });
    },
    notify: (method, params) => send({ jsonrpc: "2.0", method, ...(params && { params }) }),
    answer: (id, result) => send({ jsonrpc: "2.0", id, result }),
    refuse: (id, message) => send({ jsonrpc: "2.0", id, error: { code: -32601, message } }),
    hear(message) {
      const { id, method, params } = message;
      if (typeof method !== "string") hearAnswer(id, message);
      else if (id === undefined || id === null) peer.notification(method, fieldsOf(params));
      else peer.request(method, fieldsOf(params), id);
    },
  };
}
