/** The endpoint of a model on this computer, without the key. */
export interface ModelEndpoint {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  /** As clients call the model. */
  readonly model: string;
  readonly contextTokens?: number | undefined;
  readonly hasTools: boolean;
}

/** Clients whose settings are ready to paste. No text holds the key, since most of them are files or commands. */
export const clientNames = ['cline', 'kiloCode', 'zed', 'customEndpoint', 'curl'] as const;
export type ClientName = (typeof clientNames)[number];

/** Where a model does not say its context; clients assume too much otherwise. */
const carefulContext = 8192;
const longestAnswer = 8192;

/** Returns what a user pastes into a client, or types into its form. */
export function clientSettings(client: ClientName, endpoint: ModelEndpoint): string {
  const { baseUrl, model, contextTokens = carefulContext, hasTools } = endpoint;
  const output = Math.min(longestAnswer, Math.floor(contextTokens / 4));
  switch (client) {
    case 'cline':
      return form([
        ['API Provider', 'OpenAI Compatible'],
        ['Base URL', baseUrl],
        ['Model ID', model],
        ['Context Window Size', contextTokens],
        ['Max Output Tokens', output],
      ]);
    case 'kiloCode':
      return form([
        ['Provider ID', 'gpu-rental'],
        ['Display name', 'GPU Rental'],
        ['Base URL', baseUrl],
        ['Model ID', model],
      ]);
    case 'zed':
      return json({
        language_models: {
          openai_compatible: {
            'GPU Rental': {
              api_url: baseUrl,
              available_models: [
                {
                  name: model,
                  max_tokens: contextTokens,
                  max_output_tokens: output,
                  capabilities: { tools: hasTools, images: false },
                },
              ],
            },
          },
        },
      });
    case 'customEndpoint':
      return json({
        name: 'GPU Rental',
        vendor: 'customendpoint',
        apiType: 'chat-completions',
        models: [
          {
            id: model,
            name: model,
            url: baseUrl,
            toolCalling: hasTools,
            vision: false,
            maxInputTokens: contextTokens - output,
            maxOutputTokens: output,
          },
        ],
      });
    case 'curl':
      // A header among the arguments would show the key in the list of processes.
      return [
        `curl --no-buffer --config - <<END`,
        `url = "${baseUrl}/chat/completions"`,
        'header = "Authorization: Bearer $OPENAI_API_KEY"',
        'header = "Content-Type: application/json"',
        `data = ${JSON.stringify(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }))}`,
        'END',
        '',
      ].join('\n');
  }
}

function form(fields: readonly (readonly [string, string | number])[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\n`).join('');
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
