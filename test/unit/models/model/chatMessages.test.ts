import assert from 'node:assert/strict';
import { chatBody, type ChatAsk } from '../../../../src/models/model/chatMessages';

const ask = (more: Partial<ChatAsk>): Record<string, unknown> =>
  JSON.parse(
    chatBody({
      model: 'qwen',
      messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hello' }] }],
      tools: [],
      mustCallTool: false,
      options: {},
      maxTokens: 1000,
      ...more,
    }),
  ) as Record<string, unknown>;

describe('a request of the chat', () => {
  it('is a stream with its use of tokens, and has no tools unless there are some', () => {
    assert.deepEqual(ask({}), {
      model: 'qwen',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 1000,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('has the results of tools behind their calls, before what the user adds', () => {
    const { messages } = ask({
      messages: [
        { role: 'system', parts: [{ kind: 'text', text: 'Be short.' }] },
        {
          role: 'assistant',
          parts: [
            { kind: 'text', text: 'I look.' },
            { kind: 'call', id: 'a', name: 'read', input: { path: 'x' } },
          ],
        },
        {
          role: 'user',
          parts: [
            { kind: 'text', text: 'And ' },
            { kind: 'result', id: 'a', text: 'the file' },
            { kind: 'text', text: 'now?' },
          ],
        },
        { role: 'user', parts: [] },
      ],
    });
    assert.deepEqual(messages, [
      { role: 'system', content: 'Be short.' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'the file' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('has tools, and needs one where the chat does', () => {
    const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
    const { tools: sent, tool_choice: choice } = ask({ tools });
    assert.deepEqual(sent, [
      { type: 'function', function: { name: 'read', description: 'Reads.', parameters: { type: 'object' } } },
    ]);
    assert.equal(choice, 'auto');
    assert.equal(ask({ tools, mustCallTool: true })['tool_choice'], 'required');
  });

  it('passes a few options, and nothing that the chat keeps about itself', () => {
    const options = {
      temperature: 0.2,
      top_p: Number.NaN,
      stop: ['END'],
      max_tokens: 50,
      model: 'other',
      _conversationId: 'secret',
      stream: false,
      n: 9,
    };
    const { temperature, stop, max_tokens: most, model, stream, ...rest } = ask({ options });
    assert.deepEqual([temperature, stop, most, model, stream], [0.2, ['END'], 50, 'qwen', true]);
    assert.deepEqual(Object.keys(rest).sort(), ['messages', 'stream_options']);
    assert.equal(ask({ options: { max_tokens: 9999, stop: [7] } })['max_tokens'], 1000);
  });
});
