import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { actingPart } from '../../../src/util/actingNames';
import { sized, testSeed } from '../../support/seeded';

/** One of each kind of program that acts on a name. */
const acting = [
  ...['.git', '.gitattributes', '.gitmodules', '.github', '.gitlab-ci.yml', '.githooks', '.hg', '.svn'],
  ...['.husky', 'lefthook.yml', '.pre-commit-config.yaml', '.lintstagedrc.json'],
  ...['.vscode', '.vscode-server', '.idea', '.zed', '.exrc', '.dir-locals.el', '.venv'],
  ...[
    '.claude',
    '.claude.json',
    'CLAUDE.md',
    'CLAUDE.local.md',
    '.mcp.json',
    'AGENTS.md',
    '.cursor',
    '.cursorrules',
  ],
  ...[
    '.windsurf',
    '.kiro',
    '.gemini',
    'GEMINI.md',
    '.codex',
    '.clinerules',
    '.roo',
    '.opencode',
    'opencode.json',
  ],
  ...['.devcontainer', '.devcontainer.json', '.docker', 'docker-compose.override.yml'],
  ...['.bashrc', '.bash_profile', '.zshenv', '.profile', '.login', '.env', '.envrc', '.mise.toml', '.tcshrc'],
  ...[
    '.ssh',
    '.config',
    '.aws',
    '.gdbinit',
    '.Rprofile',
    '.npmrc',
    '.yarnrc.yml',
    '.pnpmfile.cjs',
    '.somethingrc',
  ],
];

/** Forms of a character that some file system takes for the same. */
const alike: Readonly<Record<string, readonly string[]>> = {
  s: ['S', '\u017f'],
  k: ['K', '\u212a'],
  '.': ['\uff0e', '\u2024'],
};

const ignorable = [
  '\u200c',
  '\u200d',
  '\ufeff',
  '\u202e',
  '\u206a',
  '\u00ad',
  '\u2060',
  '\u034f',
  '\ufe0f',
  '\u{e0001}',
];
const endings = ['', '.', ' ', ' . .', ':stream', '::$INDEX_ALLOCATION', '.:x', '\\config'];

/** A name in another form: each character in one of its forms, characters that are ignored, and an ending of Windows. */
const inOtherForm = (name: string) =>
  fc
    .tuple(
      fc.tuple(
        ...Array.from(name, (character) =>
          fc.constantFrom(character, character.toUpperCase(), ...(alike[character.toLowerCase()] ?? [])),
        ),
      ),
      fc.array(fc.tuple(fc.nat({ max: name.length }), fc.constantFrom(...ignorable)), { maxLength: 3 }),
      fc.constantFrom(...endings),
      fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD'),
    )
    .map(([characters, inserted, ending, form]) => {
      const placed: string[] = [...characters];
      for (const [at, one] of inserted) {
        placed.splice(Math.min(at, placed.length), 0, one);
      }
      return `${placed.join('')}${ending}`.normalize(form);
    });

describe('A name on which git or an editor acts', () => {
  it('is found in each form that a disk treats as the same name, with the folders before it', () => {
    const forms = fc.constantFrom(...acting).chain(inOtherForm);
    const folders = fc.array(fc.constantFrom('a', 'José', 'Jose\u0301', 'out puts'), { maxLength: 2 });
    fc.assert(
      fc.property(forms, folders, fc.constantFrom('', '/b/c'), (part, before, after) => {
        const name = [...before, part].join('/');
        assert.equal(actingPart(`${name}${after}`), name);
      }),
      { seed: testSeed, numRuns: sized(500, 20_000) },
    );
  });

  it('is found however the disk of this computer reads it, with the folders before it', () => {
    for (const part of [
      '.git',
      '.GIT',
      '.git. .',
      '.git::$INDEX_ALLOCATION',
      '.git\\config',
      'a\\.git',
      'git~1',
      'GIT~2',
      'GI7EBA~1',
      '.g\u200cit',
      '\ufeff.gi\u202et',
      '.vscode',
      '.v\u017fcode',
      '.\u00dfh',
      'VSCODE~1',
      'CLAUDE~1',
      'MCP~1.JSO',
      'DEVCON~1',
      'BASHRC~1',
      '.cursor',
      '.\u212airo',
      '.windsurf',
      'WINDSU~1',
    ]) {
      assert.equal(actingPart(part), part);
      assert.equal(actingPart(`a/${part}/b/c`), `a/${part}`);
      assert.equal(actingPart(`/a/${part}/${part}`), `/a/${part}`);
    }
  });

  it('is the HEAD that makes any folder a repository, unless it is a folder itself', () => {
    assert.equal(actingPart('bare/HEAD'), 'bare/HEAD');
    assert.equal(actingPart('bare/he\u200dad'), 'bare/he\u200dad');
    assert.equal(actingPart('bare/HEAD', 'folder'), undefined);
    assert.equal(actingPart('HEAD/a'), undefined);
  });

  it('is none that only looks alike', () => {
    for (const name of [
      '.gitignore',
      'outputs/.gitkeep',
      'git',
      'x.git/config',
      'vscode/a',
      'model~1.bin',
      'HEAD.txt',
      'forehead',
      'claude.txt',
      'agents.json',
      'env',
      'src',
      'marc',
      'outputs/.hydra/config.yaml',
      'outputs/.ipynb_checkpoints/a.ipynb',
    ]) {
      assert.equal(actingPart(name), undefined, name);
    }
  });
});
