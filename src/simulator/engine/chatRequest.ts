/** What the stand-in reads of a request for an answer; anything else it passes over, as engines do. */
export interface ChatRequest {
  readonly model: string | undefined;
  readonly isStreamed: boolean;
  readonly wantsUsage: boolean;
  readonly mostTokens: number | undefined;
  readonly promptTokens: number;
  /** Of the last message of the user. */
  readonly lastText: string;
  /** What a tool answered to the call before. */
  readonly toolAnswer: string | undefined;
  readonly tools: readonly Tool[];
  /** `auto`, `none`, `required` or the name of a tool. */
  readonly toolChoice: string;
  readonly thinks: boolean;
}

export interface Tool {
  readonly name: string;
  readonly parameters: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Returns what is wrong with a request instead. */
export function readChatRequest(body: unknown): ChatRequest | string {
  if (!isObject(body)) {
    return 'Field required: messages';
  }
  const { messages, prompt } = body;
  const list = Array.isArray(messages)
    ? messages.filter(isObject)
    : typeof prompt === 'string'
      ? [{ role: 'user', content: prompt }]
      : undefined;
  if (list === undefined || list.length === 0) {
    return 'Field required: messages';
  }
  const last = list.at(-1);
  const tools = Array.isArray(body['tools']) ? body['tools'].flatMap(readTool) : [];
  const options = body['stream_options'];
  const template = body['chat_template_kwargs'];
  return {
    model: typeof body['model'] === 'string' ? body['model'] : undefined,
    isStreamed: body['stream'] === true,
    wantsUsage: isObject(options) && options['include_usage'] === true,
    mostTokens: [body['max_completion_tokens'], body['max_tokens']].find(
      (value) => typeof value === 'number',
    ),
    promptTokens:
      list.reduce((sum, message) => sum + 4 + piecesOf(contentOf(message)).length, 0) +
      piecesOf(JSON.stringify(body['tools'] ?? '')).length,
    lastText: contentOf(list.findLast(({ role }) => role === 'user')),
    toolAnswer: last?.['role'] === 'tool' ? contentOf(last) : undefined,
    tools,
    toolChoice: toolChoiceOf(body['tool_choice'], tools),
    thinks: !isObject(template) || template['enable_thinking'] !== false,
  };
}

/** Tokens of a text, which together are that text. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\s?[^\s]{1,6}|\s/g) ?? [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function contentOf(message: Json | undefined): string {
  const content = message?.['content'];
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  return typeof content === 'string'
    ? content
    : parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

function readTool(tool: unknown): readonly Tool[] {
  const declared = isObject(tool) ? tool['function'] : undefined;
  const { name, parameters } = isObject(declared) ? declared : {};
  return typeof name === 'string' ? [{ name, parameters }] : [];
}

function toolChoiceOf(choice: unknown, tools: readonly Tool[]): string {
  const named = isObject(choice) ? choice['function'] : undefined;
  const name = isObject(named) ? named['name'] : choice;
  return typeof name === 'string' ? name : tools.length > 0 ? 'auto' : 'none';
}
