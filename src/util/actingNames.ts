/**
 * Names of files and folders on which a program acts because of their names: their content names commands
 * or is read as instructions, and can run as soon as the file is found. A star means any ending.
 */
const names: readonly string[] = [
  // Git runs hooks, filters and aliases that its folder and files name, and forges run workflows: git-scm.com/docs
  // (githooks, gitattributes, gitmodules), docs.github.com (workflow syntax), docs.gitlab.com (.gitlab-ci.yml).
  ...['.git*'],
  // The hooks and extensions of other version control systems: mercurial-scm.org (hgrc), docs.jj-vcs.dev (config).
  ...['.hg', '.bzr', '.jj', '.sl', '.svn'],
  // Programs that run from Git hooks: typicode.github.io/husky, lefthook.dev, pre-commit.com, lint-staged.
  ...['.husky', 'lefthook*', '.lefthook*', '.pre-commit-config*', '.pre-commit-hooks*', '.overcommit*'],
  ...['.lintstaged*', '.hooks'],
  // Editors run tasks, debuggers, extensions and interpreters that these name: code.visualstudio.com/docs (tasks that
  // run when a folder is opened, settings), jetbrains.com/help (project settings), zed.dev/docs, the manuals of Vim
  // ('exrc') and Emacs (directory variables).
  ...['.vscode*', '.vs', '.idea', '.fleet', '.zed', '.theia', '.nova', '.settings', '.run'],
  ...['.exrc', '.vim', '.vimrc', '.lvimrc', '.nvim*', '.emacs*', '.dir-locals*', '.venv'],
  // Assistants follow the instructions and run the hooks, commands and servers in these: code.claude.com/docs (settings,
  // hooks, MCP), agents.md, cursor.com/docs, docs.windsurf.com, kiro.dev/docs, geminicli.com/docs, and the guides of
  // Codex, Cline, Roo Code, Continue, Aider, Junie, Amazon Q, Augment, Trae, OpenCode, Goose, Qwen Code, Warp and Crush.
  ...['.claude*', 'claude.md', 'claude.local.md', '.mcp*', 'agents.md', 'agents.override.md', 'agent.md'],
  ...['.agent', '.agents', '.cursor*', '.windsurf*', '.codeium', '.kiro', '.gemini', 'gemini.md', '.codex'],
  ...['.cline*', '.roo*', '.continue*', '.aider*', '.junie', '.amazonq', '.augment*', '.trae', '.opencode*'],
  ...['opencode.json*', '.goose*', '.qwen', 'qwen.md', 'warp.md', '.warp', '.crush*', 'crush.md', '.rules'],
  // Containers run the commands in these: containers.dev/implementors/spec, docs.docker.com (merge, credential helpers).
  ...['.devcontainer*', '.docker', 'docker-compose.override.*', 'compose.override.*'],
  // Shells and what they load in a folder: the manuals of bash, zsh and tcsh (start-up files), direnv.net, mise.jdx.dev.
  ...[
    '.bash*',
    '.zsh*',
    '.zprofile',
    '.zlogin',
    '.zlogout',
    '.profile',
    '.kshrc',
    '.cshrc',
    '.tcshrc',
    '.login',
  ],
  ...[
    '.logout',
    '.inputrc',
    '.xprofile',
    '.env',
    '.envrc',
    '.autoenv*',
    '.mise*',
    'mise.toml',
    'mise.local.toml',
  ],
  ...['.rtx*', '.tool-versions', '.tmux.conf'],
  // Start-up files and credentials of a home folder, which name commands to run: the manuals of ssh_config
  // (ProxyCommand), systemd (user units), AWS (credential_process), kubectl (exec), GnuPG, gdb, R and IPython.
  ...[
    '.ssh',
    '.config',
    '.local',
    '.aws',
    '.kube',
    '.gnupg',
    '.gdbinit',
    '.lldbinit',
    '.rprofile',
    '.renviron',
  ],
  ...['.ipython', '.jupyter'],
  // Package managers and builds load programs from these, also for an editor: yarnpkg.com (yarnPath), pnpm.io
  // (.pnpmfile), docs.npmjs.com (.npmrc), doc.rust-lang.org/cargo (config), maven.apache.org, docs.gradle.org, bundler.io.
  ...['.yarn*', '.pnp*', '.npmrc', '.cargo', '.mvn', '.gradle', '.bundle'],
];

/** By convention, the start-up file of a program; each names programs to run or load. */
const startUpFile = /^\.[\w-]+rc(?:\.\w+)?$/;
/**
 * Git only reads patterns in the first, and no program reads the second, which
 * many tools leave in folders of outputs.
 */
const harmless = new Set(['.gitignore', '.gitkeep']);
/** Any folder with `HEAD`, `objects` and `refs` is a repository to git, and none is without `HEAD`. */
const headOfRepository = 'head';

/**
 * Characters that a file system may ignore in a name: those of HFS+ (`next_hfs_char` in utf8.c of git) are among those
 * that ext4 and f2fs ignore in folders that fold case (docs.kernel.org/filesystems/ext4, `nfdicf` in fs/unicode).
 */
const ignored = /\p{Default_Ignorable_Code_Point}/gu;

const exact = new Set(names.filter((name) => !name.endsWith('*')));
const beginnings = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
const shortNames = new RegExp(`^(?:${names.map(shortName).join('|')})$`);

/**
 * Returns a pattern for the short names that Windows makes (learn.microsoft.com, "Naming Files, Paths, and Namespaces"):
 * six characters and a number, or two and four digits of a hash.
 */
function shortName(name: string): string {
  const isBeginning = name.endsWith('*');
  const plain = name.replace(/^\./, '').replace(/\*$/, '');
  const dot = plain.lastIndexOf('.');
  const base = (dot < 0 ? plain : plain.slice(0, dot)).replace(/[. ]/g, '');
  const open = isBeginning && dot < 0 ? `[^.~]{0,${Math.max(0, 6 - base.length)}}` : '';
  const ending = isBeginning ? '(?:\\.[^.]{0,3})?' : dot < 0 ? '' : `\\.${plain.slice(dot + 1, dot + 4)}`;
  const start = base.slice(0, 6);
  return `(?:${start}${open}|${start.slice(0, 2)}[0-9a-f]{4})~\\d+${ending}`;
}

/**
 * Returns the form in which file systems compare names: without differences of case (`ſ` and `ß` have an upper case of
 * ASCII letters), of normal form and of what is ignored, and without what Windows drops at an end or takes for a stream.
 */
function comparedForm(name: string): string {
  const plain = name.normalize('NFKC').replace(ignored, '').toUpperCase().toLowerCase();
  const [shown = ''] = plain.normalize('NFKC').split(':', 1);
  let end = shown.length;
  while (end > 0 && '. '.includes(shown.charAt(end - 1))) {
    end -= 1;
  }
  return shown.slice(0, end);
}

function acts(name: string, isFile: boolean): boolean {
  const plain = comparedForm(name);
  return (
    (isFile && plain === headOfRepository) ||
    exact.has(plain) ||
    startUpFile.test(plain) ||
    shortNames.test(plain) ||
    (!harmless.has(plain) && beginnings.some((beginning) => plain.startsWith(beginning)))
  );
}

/**
 * Returns the name up to its first part on which a program acts, on any file system; `undefined` for a name without such
 * a part.
 */
export function actingPart(name: string, kind = 'file'): string | undefined {
  const parts = name.split('/');
  // A backslash separates folders on Windows.
  const at = parts.findIndex((part, index) =>
    part.split('\\').some((step, inner, steps) => {
      const isLast = index === parts.length - 1 && inner === steps.length - 1;
      return acts(step, isLast && kind !== 'folder');
    }),
  );
  return at < 0 ? undefined : parts.slice(0, at + 1).join('/');
}
