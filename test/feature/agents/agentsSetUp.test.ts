import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { letAgentsIn } from '../../support/feature/agentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { buildMcpServer } from '../../support/mcpServer';

describe('Set Up Agents…', () => {
  const computer = useComputer({});
  let window: FeatureWindow;
  const home = (...names: readonly string[]) => path.join(computer().root, 'home', ...names);
  const cursor = () => home('.cursor', 'mcp.json');
  const codex = () => home('.codex', 'config.toml');
  const read = (file: string) => readFileSync(file, 'utf8');
  const setUp = async (client: string) => {
    window.run('Set Up Agents…');
    await window.quick.pick(client);
  };
  const answer = async (button: string, text: string | RegExp) => {
    await window.dialogButton(button, text);
    await computer().rest();
  };

  before(async () => {
    buildMcpServer();
    window = await computer().openSignedIn();
    await letAgentsIn(window);
    window.clearToasts();
  });

  it('shows only the clients of this computer, and copies for all others', async () => {
    mkdirSync(home('.cursor'));
    window.run('Set Up Agents…');
    await window.quick.title('Set Up Agents');
    assert.deepEqual(
      window.quick.rows().filter((row) => /^(Claude|Cursor|Codex|Copilot|Windsurf|VS Code)/.test(row)),
      ['Cursor ~/.cursor/mcp.json'],
    );
    await window.quick.pick('Copy the Configuration…');
    await window.quick.pick('Windsurf');
    await window.toast(/mcp_config\.json/);
    assert.match(computer().clipboard.text, /"mcpServers"/);
    window.clearToasts();
  });

  it('changes a file only after a question that shows the difference, and keeps everything else', async () => {
    const before =
      '{\n    // mine\n    "mcpServers": {\n        "other": { "command": "x" }, // keep\n    },\n}\n';
    writeFileSync(cursor(), before, { mode: 0o640 });
    await setUp('Cursor');
    const question = await window.dialog('Add GPU Rental to Cursor?');
    assert.match(question.detail ?? '', /^Added to ~\/\.cursor\/mcp\.json:\n/);
    assert.match(question.detail ?? '', /"gpu-rental": \{/);
    assert.doesNotMatch(question.detail ?? '', /other|mine/);
    question.close();
    await computer().rest();
    assert.equal(read(cursor()), before);

    await setUp('Cursor');
    await answer('Write', 'Add GPU Rental to Cursor?');
    const after = read(cursor());
    assert.match(after, /\/\/ mine[^]*"other": \{ "command": "x" \}[^]*"gpu-rental": \{[^]*mcp\.js/);
    assert.equal(statSync(cursor()).mode & 0o777, 0o640);
    await window.toastButton('Cursor is set up', 'Undo');
    await computer().until('the file of before', () => read(cursor()) === before);
    window.clearToasts();
  });

  it('creates a missing file, replaces an earlier entry, and writes nothing twice', async () => {
    rmSync(cursor());
    await setUp('Cursor');
    await answer('Write', 'Add GPU Rental to Cursor?');
    const written = read(cursor());
    writeFileSync(cursor(), written.replace('mcp.js', 'old.js'));
    await setUp('Cursor');
    const question = await window.dialog('Add GPU Rental to Cursor?');
    assert.match(question.detail ?? '', /Removed from [^]*old\.js[^]*Added to [^]*mcp\.js/);
    question.press('Write');
    await computer().rest();
    assert.equal(read(cursor()), written);
    window.clearToasts();
    await setUp('Cursor');
    await window.toast('Cursor is set up');
    window.clearToasts();
  });

  it('leaves a file that changed during the question, or since, as it is', async () => {
    rmSync(cursor());
    await setUp('Cursor');
    const question = await window.dialog('Add GPU Rental to Cursor?');
    writeFileSync(cursor(), '{"mine": 1}');
    question.press('Write');
    await window.toast(/has changed since it was read/);
    assert.equal(read(cursor()), '{"mine": 1}');
    window.clearToasts();
    await setUp('Cursor');
    await answer('Write', 'Add GPU Rental to Cursor?');
    writeFileSync(cursor(), '{"mine": 2}');
    await window.toastButton('Cursor is set up', 'Undo');
    await window.toast(/has changed since it was read/);
    assert.equal(read(cursor()), '{"mine": 2}');
    window.clearToasts();
  });

  it('never writes over a broken file or through a link out of the home folder', async () => {
    for (const broken of ['{"mcpServers": ', '{"mcpServers": []}', '[]', Buffer.from([0x7b, 0xff, 0x7d])]) {
      writeFileSync(cursor(), broken);
      await setUp('Cursor');
      await window.toast(/was left as it is/);
      assert.deepEqual(readFileSync(cursor()), Buffer.from(broken));
      window.clearToasts();
    }
    const outside = path.join(computer().root, 'outside.json');
    writeFileSync(outside, '{}');
    rmSync(cursor());
    symlinkSync(outside, cursor());
    await setUp('Cursor');
    await window.toast(/A link at or above/);
    assert.equal(read(outside), '{}');
    rmSync(cursor());
    window.clearToasts();
  });

  it('changes the text of TOML alone', async () => {
    mkdirSync(home('.codex'));
    writeFileSync(codex(), '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y" # keep\n');
    await setUp('Codex');
    await answer('Write', 'Add GPU Rental to Codex?');
    assert.match(
      read(codex()),
      /^# mine\nmodel = "x"\n\n\[mcp_servers\.other\]\ncommand = "y" # keep\n\n\[mcp_servers\.gpu-rental\]\ncommand = /,
    );
    await window.toastButton('Codex is set up', 'Undo');
    window.clearToasts();
  });

  it("runs a client's own command in a terminal after a yes", async () => {
    mkdirSync(home('.claude'));
    const { terminals } = window.screen;
    await setUp('Claude Code');
    (await window.dialog('Run this command of Claude Code')).close();
    await computer().rest();
    assert.equal(terminals.all.length, 0);
    await setUp('Claude Code');
    await answer('Run', /claude mcp add gpu-rental/);
    const [terminal] = terminals.all;
    assert.match(terminal?.sent.join('\n') ?? '', /^claude mcp add gpu-rental -s user /);
    writeFileSync(home('.claude.json'), '{"mcpServers": {"gpu-rental": {}}}');
    await setUp('Claude Code');
    await answer('Run', /claude mcp remove gpu-rental -s user\n/);
    assert.match(terminals.all[1]?.sent.join('\n') ?? '', /^claude mcp remove .*\nclaude mcp add /);
    window.clearToasts();
  });

  it('writes the skill into the folder of a client', async () => {
    const skill = home('.claude', 'skills', 'gpu-rental', 'SKILL.md');
    await setUp('Skill for Claude Code');
    await answer('Write', 'Teach Claude Code to work with GPU Rental?');
    assert.match(read(skill), /^---\nname: gpu-rental\n/);
    await window.toastButton('Claude Code finds the skill', 'Undo');
    await computer().until('no skill', () => !existsSync(skill));
    window.clearToasts();
  });
});
