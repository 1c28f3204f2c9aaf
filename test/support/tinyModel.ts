import { writeFileSync } from 'node:fs';

/**
 * A model file made by hand, for an engine that runs on a CPU: a `llama` of one block of zeros, so that nothing changes a token
 * on its way, and an output matrix that names the token after each one. Its chat template chooses the first one: a greeting,
 * numbers without an end for `Count`, a call of the first tool, or words for what a tool returned.
 */

/** At least as many as there are tokens: each is a direction of its own. */
const width = 384;
const headWidth = 64;
const feedForward = 32;
export const tinyContext = 32_768;

/** What follows a token of control, as the pieces in which an engine streams it. */
const lines = {
  say: ['I', ' am', ' a', ' tiny', ' model', '.'],
  told: ['The', ' tool', ' answered', ':', ' 21', ' degrees'],
  get_weather: call('get_weather'),
  get_time: call('get_time'),
};
const numbers = Array.from({ length: 9 }, (_, index) => ` ${index + 1}`);

function call(name: string): readonly string[] {
  return [
    `<tool_call>\n{"name": "${name}`,
    '", "arguments": {"city": "',
    'exam',
    'ple',
    '"}',
    '}\n</tool_call>',
  ];
}

/** As the templates of Qwen write calls and results, which engines know. */
const template = `{%- if tools %}{{- '<|system|>\\n<tools>' }}{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}{{- '\\n</tools>\\nAnswer with <tool_call>\\n{"name": <name>, "arguments": <object>}\\n</tool_call><|end|>' }}{%- endif %}
{%- for message in messages %}
{{- '<|' + message.role + '|>' }}
{%- if message.content is string %}{{- message.content }}{%- endif %}
{%- if message.tool_calls %}{%- for call in message.tool_calls %}{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}{%- endfor %}{%- endif %}
{{- '<|end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>' }}
{%- if messages[-1].role == 'tool' %}{{- '<|told|>' }}
{%- elif messages[-1].content is string and messages[-1].content.startswith('Count') %}{{- '<|count|>' }}
{%- elif tools and tools[0].function.name in ['get_weather', 'get_time'] %}{{- '<|' + tools[0].function.name + '|>' }}
{%- else %}{{- '<|say|>' }}{%- endif %}{%- endif %}`;

const roles = ['system', 'user', 'assistant', 'tool'].map((role) => `<|${role}|>`);
const controls = [
  '<s>',
  '<|end|>',
  ...roles,
  '<|count|>',
  ...Object.keys(lines).map((name) => `<|${name}|>`),
];
const bytes = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);
const words = [...new Set([...Object.values(lines).flat(), ...numbers])].map(written);
const tokens = ['<unk>', ...controls, ...bytes, ...words];

/** A space in a vocabulary. */
function written(word: string): string {
  return word.replaceAll(' ', '\u2581');
}

/** Returns the number of the token after each one. Whatever has none is followed by the end. */
function followers(): ReadonlyMap<number, number> {
  const numberOf = (token: string) => tokens.indexOf(token);
  const end = '<|end|>';
  const chains = [
    ...Object.entries(lines).map(([name, line]) => [`<|${name}|>`, ...line.map(written), end]),
    ['<|count|>', ...numbers.map(written), written(' 1')],
  ];
  return new Map(
    chains.flatMap((chain) =>
      chain.slice(1).map((token, index) => [numberOf(chain[index] ?? ''), numberOf(token)] as const),
    ),
  );
}

type Value =
  string | number | boolean | { readonly float: number } | readonly string[] | Int32Array | Float32Array;

function values(): Readonly<Record<string, Value>> {
  const kinds = tokens.map((_, index) =>
    index === 0 ? 2 : index <= controls.length ? 3 : index <= controls.length + 256 ? 6 : 1,
  );
  const ends = tokens.indexOf('<|end|>');
  return {
    'general.architecture': 'llama',
    'general.name': 'tiny',
    'llama.context_length': tinyContext,
    'llama.embedding_length': width,
    'llama.block_count': 1,
    'llama.feed_forward_length': feedForward,
    'llama.attention.head_count': width / headWidth,
    'llama.attention.head_count_kv': 1,
    'llama.attention.layer_norm_rms_epsilon': { float: 1e-5 },
    'llama.rope.dimension_count': headWidth,
    'llama.vocab_size': tokens.length,
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.scores': new Float32Array(tokens.length),
    'tokenizer.ggml.token_type': new Int32Array(kinds),
    'tokenizer.ggml.unknown_token_id': 0,
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': ends,
    'tokenizer.ggml.add_bos_token': false,
    'tokenizer.ggml.add_space_prefix': false,
    'tokenizer.chat_template': template,
  };
}

/** Sets the places of ones; all others are 0. */
function matrix(
  rows: number,
  columns: number,
  ones: (set: (row: number, column: number) => void) => void,
): Tensor {
  const data = new Float32Array(rows * columns);
  ones((row, column) => {
    data[row * columns + column] = 1;
  });
  return { shape: [columns, rows], data };
}

interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

function tensors(): Readonly<Record<string, Tensor>> {
  const zeros = (columns: number, rows = 1) => matrix(rows, columns, () => undefined);
  const vector = (value: number): Tensor => ({ shape: [width], data: new Float32Array(width).fill(value) });
  const next = followers();
  const end = tokens.indexOf('<|end|>');
  return {
    'token_embd.weight': matrix(tokens.length, width, (set) => {
      tokens.forEach((_, token) => set(token, token));
    }),
    'output_norm.weight': vector(1),
    'output.weight': matrix(tokens.length, width, (set) => {
      tokens.forEach((_, token) => set(next.get(token) ?? end, token));
    }),
    'blk.0.attn_norm.weight': vector(1),
    'blk.0.attn_q.weight': zeros(width, width),
    'blk.0.attn_k.weight': zeros(width, headWidth),
    'blk.0.attn_v.weight': zeros(width, headWidth),
    'blk.0.attn_output.weight': zeros(width, width),
    'blk.0.ffn_norm.weight': vector(1),
    'blk.0.ffn_gate.weight': zeros(width, feedForward),
    'blk.0.ffn_up.weight': zeros(width, feedForward),
    'blk.0.ffn_down.weight': zeros(feedForward, width),
  };
}

/** Writes the model in the GGUF format, version 3. */
export function writeTinyModel(file: string): void {
  const known = Object.entries(tensors());
  const facts = Object.entries(values());
  let offset = 0;
  const heads = known.map(([name, { shape, data }]) => {
    const head = [string(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset)];
    offset += padded(data.byteLength);
    return Buffer.concat(head);
  });
  const header = Buffer.concat([
    ...[Buffer.from('GGUF'), u32(3), u64(known.length), u64(facts.length)],
    ...facts.map(([name, value]) => Buffer.concat([string(name), valueBytes(value)])),
    ...heads,
  ]);
  writeFileSync(
    file,
    Buffer.concat([header, ...known.map(([, { data }]) => Buffer.from(data.buffer))].map(pad)),
  );
}

const alignment = 32;
const padded = (size: number) => Math.ceil(size / alignment) * alignment;
const pad = (part: Buffer) => Buffer.concat([part, Buffer.alloc(padded(part.length) - part.length)]);

function u32(value: number): Buffer {
  const part = Buffer.alloc(4);
  part.writeUInt32LE(value);
  return part;
}

function u64(value: number): Buffer {
  const part = Buffer.alloc(8);
  part.writeBigUInt64LE(BigInt(value));
  return part;
}

function string(text: string): Buffer {
  const part = Buffer.from(text);
  return Buffer.concat([u64(part.length), part]);
}

/** With its number of a type before it. */
function valueBytes(value: Value): Buffer {
  if (typeof value === 'string') {
    return Buffer.concat([u32(8), string(value)]);
  }
  if (typeof value === 'number') {
    return Buffer.concat([u32(4), u32(value)]);
  }
  if (typeof value === 'boolean') {
    return Buffer.concat([u32(7), Buffer.from([value ? 1 : 0])]);
  }
  if ('float' in value) {
    return Buffer.concat([u32(6), Buffer.from(new Float32Array([value.float]).buffer)]);
  }
  const [kind, parts] =
    value instanceof Int32Array
      ? [5, [Buffer.from(value.buffer)]]
      : value instanceof Float32Array
        ? [6, [Buffer.from(value.buffer)]]
        : [8, value.map(string)];
  return Buffer.concat([u32(9), u32(kind), u64(value.length), ...parts]);
}
