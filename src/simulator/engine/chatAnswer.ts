import { piecesOf, type ChatRequest, type Tool } from './chatRequest';
import type { EngineOptions } from './engineArguments';
import type { EngineFault } from './engineScene';

/** What the stand-in says, in pieces of a token each. */
export interface ChatAnswer {
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: readonly string[] }[];
  readonly finish: 'stop' | 'length' | 'tool_calls';
  readonly tokens: number;
}

const longestEcho = 400;
const mostCounted = 100_000;

/** Counts as far as it is asked to, calls the tool whose name the user writes, and repeats anything else. */
export function answerTo(
  request: ChatRequest,
  options: EngineOptions,
  room: number,
  fault: EngineFault | undefined,
): ChatAnswer {
  const most = Math.min(request.mostTokens ?? room, room);
  const reasoning =
    fault === 'onlyReasoning' || (options.hasReasoning && request.thinks)
      ? piecesOf('The user wants an answer, and I am only a stand-in.')
      : [];
  const tool = fault === 'onlyReasoning' ? undefined : calledTool(request);
  if (tool !== undefined && fault !== 'plainToolCall') {
    const args = piecesOf(JSON.stringify(sampleOf(tool.parameters, 0)));
    const sent = fault === 'brokenArguments' ? args.slice(0, -1) : args;
    return {
      reasoning,
      text: [],
      calls: [{ id: `call_${request.promptTokens}_${request.lastText.length}`, name: tool.name, args: sent }],
      finish: 'tool_calls',
      tokens: reasoning.length + sent.length,
    };
  }
  const text =
    tool === undefined
      ? textOf(request, options)
      : `<tool_call>\n${JSON.stringify({ name: tool.name, arguments: sampleOf(tool.parameters, 0) })}\n</tool_call>`;
  const all = fault === 'onlyReasoning' ? [] : piecesOf(text);
  const thought = reasoning.slice(0, most);
  const said = all.slice(0, Math.max(0, most - thought.length));
  return {
    reasoning: thought,
    text: said,
    calls: [],
    finish: thought.length + said.length < reasoning.length + all.length ? 'length' : 'stop',
    tokens: thought.length + said.length,
  };
}

function textOf({ lastText, toolAnswer }: ChatRequest, { name }: EngineOptions): string {
  if (toolAnswer !== undefined) {
    return `The tool answered: ${toolAnswer.slice(0, longestEcho)}`;
  }
  const count = Number(/count to (\d{1,6})/i.exec(lastText)?.[1] ?? 0);
  if (count > 0) {
    return Array.from({ length: Math.min(count, mostCounted) }, (_, index) => index + 1).join(' ');
  }
  return `I am a stand-in for ${name} on a simulated machine, without a model. You wrote: ${lastText.slice(0, longestEcho)}`;
}

function calledTool({ tools, toolChoice, toolAnswer, lastText }: ChatRequest): Tool | undefined {
  switch (toolChoice) {
    case 'none':
      return undefined;
    case 'required':
      return tools.find(({ name }) => lastText.includes(name)) ?? tools[0];
    case 'auto':
      return toolAnswer === undefined ? tools.find(({ name }) => lastText.includes(name)) : undefined;
    default:
      return tools.find(({ name }) => name === toolChoice);
  }
}

/** A value that a JSON schema allows, with what it requires. */
function sampleOf(schema: unknown, depth: number): unknown {
  const {
    type,
    properties,
    required,
    enum: choices,
    items,
  } = (schema ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(choices)) {
    return choices[0] as unknown;
  }
  switch (type) {
    case 'string':
      return 'example';
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return depth < 8 ? [sampleOf(items, depth + 1)] : [];
    default:
      return Object.fromEntries(
        (Array.isArray(required) && depth < 8 ? required : [])
          .filter((name): name is string => typeof name === 'string')
          .map((name) => [
            name,
            sampleOf((properties as Readonly<Record<string, unknown>> | undefined)?.[name], depth + 1),
          ]),
      );
  }
}
