import assert from 'node:assert/strict';
import { changedLines, withServer } from '../../../../src/agents/model/clientText';

const server = { command: '/opt/code', args: ['/s/mcp.js'], env: { A: '1' } };
const json = (source: string, key = 'mcpServers') => withServer(source, { format: 'json', key }, server);
const toml = (source: string) => withServer(source, { format: 'toml', key: 'mcp_servers' }, server);
const written = JSON.stringify(server);
const table = '[mcp_servers.gpu-rental]\ncommand = "/opt/code"\nargs = ["/s/mcp.js"]\nenv = { A = "1" }\n';

/** The text without what was put in. */
const restOf = (after: string | undefined) =>
  after?.replace(/,?\s*"gpu-rental": \{[^{}]*\{[^{}]*\}\s*\},?/, '');

describe("the text of a client's file of servers in JSON", () => {
  it('has our server beside the others, with comments, marks, line ends and order', () => {
    for (const source of [
      '{"mcpServers": {"b": {"x": [1, 2]}, "a": {}}, "z": null}',
      '{\n  // one\n  "mcpServers": {\n    "b": {} // two\n  } /* three */\n}',
      '\ufeff{\r\n\t"mcpServers": {\r\n\t\t"b": {}, // two\r\n\t},\r\n}\r\n',
      '{ "mcpServers": { /* none yet */ } }',
    ]) {
      const after = json(source);
      assert.ok(after, source);
      assert.ok(after.replace(/\s/g, '').includes(`"gpu-rental":${written}`));
      const comments = (text: string) => text.match(/\/\/.*|\/\*.*?\*\//g);
      assert.deepEqual(comments(after), comments(source), source);
      const plain = (text: string | undefined) => text?.replace(/[\s,]/g, '');
      assert.equal(plain(restOf(after)), plain(source));
      assert.equal(json(after), after, 'a second time changes nothing');
      assert.equal(/[^\r]\n/.test(after), /[^\r]\n/.test(source) || !source.includes('\n'), source);
    }
  });

  it('is made where there is none, and an earlier entry is replaced as a whole', () => {
    for (const source of ['', ' \n', '{}', '{"mcpServers": {"gpu-rental": {"command": "old", "x": 1}}}']) {
      assert.deepEqual(JSON.parse(json(source) ?? ''), { mcpServers: { 'gpu-rental': server } }, source);
    }
    assert.match(json('{"servers": {}}', 'servers') ?? '', /^\{"servers": \{\n {4}"gpu-rental"/);
  });

  it('stays as it is where it is broken, deep or of another form', () => {
    const deep = `{"a": ${'['.repeat(100)}${']'.repeat(100)}}`;
    for (const source of ['{', '[]', 'null', '{"mcpServers": 1}', '{"mcpServers": null}', '{"a" 1}', deep]) {
      assert.equal(json(source), undefined, source);
    }
  });

  it('loses no server of a name with a meaning of its own, and none that is there twice', () => {
    const after = json('{"mcpServers": {"__proto__": {"command": "x"}}, "mcpServers": {"b": {}}}');
    assert.match(after ?? '', /"__proto__": \{"command": "x"\}[^]*"b": \{\}[^]*"gpu-rental"/);
  });
});

describe("the text of a client's file of servers in TOML", () => {
  it('has our table at its end, or where an earlier one is, and is else the same', () => {
    assert.equal(toml(''), table);
    assert.equal(toml('a = 1'), `a = 1\n\n${table}`);
    const other = '# top\na = 1\n\n[mcp_servers.x]\ncommand = "y" # z\n\n# about the next\n[[list]]\nb = 2\n';
    assert.equal(toml(other), `${other}\n${table}`);
    const old =
      '# top\n[ mcp_servers . "gpu-rental" ] # ours\ncommand = "old"\n\n[mcp_servers.gpu-rental.env]\nB = "2"\n\n# about x\n[x]\ny = 1\n';
    assert.equal(toml(old), `# top\n${table}\n\n# about x\n[x]\ny = 1\n`);
    assert.equal(toml(toml(other) ?? ''), toml(other));
    const windows = toml(other.replaceAll('\n', '\r\n'));
    assert.equal(windows, `${other}\n${table}`.replaceAll('\n', '\r\n'));
  });

  it('stays as it is where it is broken, or has our server in a form that is no table', () => {
    for (const source of [
      'a = ',
      'mcp_servers = 1',
      'mcp_servers = { gpu-rental = { command = "x" } }',
      'mcp_servers.gpu-rental.command = "x"',
      '[mcp_servers.gpu-rental]\nargs = [\n[\n"x"]\n]\n[y]\n',
      'text = """\n[mcp_servers.gpu-rental]\n"""',
    ]) {
      assert.equal(toml(source), undefined, source);
    }
  });
});

describe('the lines in which two texts differ', () => {
  it('are those between what is the same at the start and at the end', () => {
    assert.deepEqual(changedLines('a\nb\nc\n', 'a\nB\nB\nc\n'), { removed: ['b'], added: ['B', 'B'] });
    assert.deepEqual(changedLines('', 'a\r\nb\r\n'), { removed: [], added: ['a', 'b'] });
    assert.deepEqual(changedLines('a\n', 'a\na\n'), { removed: [], added: ['a'] });
    assert.deepEqual(changedLines('a', 'a'), { removed: [], added: [] });
  });
});
