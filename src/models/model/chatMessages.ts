/** A part of a message of the editor's chat, without the editor's classes. */
export type ChatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'result'; readonly id: string; readonly text: string };

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly ChatPart[];
}

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object | undefined;
}

export interface ChatAsk {
  /** The name of the served model. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly mustCallTool: boolean;
  /** Options of the caller, of which a few are passed. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly maxTokens: number;
}

/** Returns the body of a request to `/v1/chat/completions`. */
export function chatBody({ model, messages, tools, mustCallTool, options, maxTokens }: ChatAsk): string {
  const wanted = options['max_tokens'];
  return JSON.stringify({
    model,
    messages: messages.flatMap(apiMessages),
    ...passedOptions(options),
    max_tokens:
      typeof wanted === 'number' && wanted >= 1 ? Math.min(Math.floor(wanted), maxTokens) : maxTokens,
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema ?? { type: 'object', properties: {} } },
      })),
      tool_choice: mustCallTool ? 'required' : 'auto',
    }),
    stream: true,
    stream_options: { include_usage: true },
  });
}

/** Results of tools come in a message of the user, and go in messages of their own behind the calls. */
function apiMessages({ role, parts }: ChatMessage): readonly object[] {
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const calls = parts.flatMap((part) =>
    part.kind === 'call'
      ? [
          {
            id: part.id,
            type: 'function',
            function: { name: part.name, arguments: JSON.stringify(part.input) },
          },
        ]
      : [],
  );
  const results = parts.flatMap((part) =>
    part.kind === 'result' ? [{ role: 'tool', tool_call_id: part.id, content: part.text }] : [],
  );
  const isSaid = text !== '' || calls.length > 0;
  const said = {
    role,
    content: text,
    ...(role === 'assistant' && calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return isSaid ? [...results, said] : results;
}

/** What the chat passes besides is about itself. */
function passedOptions(options: Readonly<Record<string, unknown>>): object {
  const numbers = ['temperature', 'top_p'].flatMap((name) => {
    const value = options[name];
    return typeof value === 'number' && Number.isFinite(value) ? [[name, value] as const] : [];
  });
  const { stop } = options;
  const isText = (one: unknown) => typeof one === 'string';
  const hasStop = isText(stop) || (Array.isArray(stop) && stop.length > 0 && stop.every(isText));
  return { ...Object.fromEntries(numbers), ...(hasStop ? { stop } : {}) };
}
