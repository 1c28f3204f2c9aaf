import tseslint from 'typescript-eslint';
import { arrows, rings, usesEditor, wings } from './scripts/eslintArrows.mjs';
import { importOrder } from './scripts/eslintImports.mjs';
import { moduleState } from './scripts/eslintModuleState.mjs';

const namedZod = {
  selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier[imported.name='z']",
  message: "Use `import * as z from 'zod'`: the named import costs 350 KB of locales.",
};
const globalDispatcher = {
  selector: "CallExpression[callee.property.name='setGlobalDispatcher']",
  message: 'The global dispatcher belongs to the whole extension host.',
};
const sentences = {
  selector: "MemberExpression[property.name='l10n'], ObjectPattern > Property[key.name='l10n']",
  message: 'Make sentences with `t` of editor/localize.ts, which turns arguments into plain words.',
};
const inputs = {
  selector:
    ':matches(MemberExpression[property.name=/^(show|create)(QuickPick|InputBox)$/], ObjectPattern > Property[key.name=/^(show|create)(QuickPick|InputBox)$/])',
  message: 'Ask with `QuickInput` or editor/quickPick.ts, which turn names into plain words.',
};
const messages = {
  selector:
    ':matches(MemberExpression[property.name=/^show(Information|Warning|Error)Message$/], ObjectPattern > Property[key.name=/^show(Information|Warning|Error)Message$/])',
  message: 'Show messages with `message`, `suggest` or `ask` of editor/message.ts.',
};
const icons = {
  selector:
    'Property[key.name=/^(label|description|detail)$/] :matches(TemplateElement[value.raw=/\\$\\(/], Literal[value=/\\$\\(/])',
  message: 'Name the icon of a row apart, in `icon` or `detailIcon`: in words it is written out.',
};
const markdown = {
  selector: "NewExpression[callee.property.name='MarkdownString']",
  message: 'Make tooltips with editor/tooltip.ts, in which nothing of a stranger is markup.',
};
const deadCancel = {
  selector:
    "CallExpression[callee.name='withCancellableProgress'] > :not(ArrowFunctionExpression[params.length>0]).arguments:nth-child(2)",
  message: 'Write the work as `(signal) => …` and end it by the signal: otherwise *Cancel* does nothing.',
};
const terminals = {
  // A pseudoterminal runs in the extension host.
  selector:
    ":matches(CallExpression[callee.property.name='createTerminal']:not(:has(Property[key.name='pty'])), NewExpression[callee.property.name='TerminalProfile'])",
  message: 'Open terminals by editor/ownTerminal.ts: in a remote window others run on the remote machine.',
};
const shellTasks = {
  selector: 'NewExpression[callee.property.name=/^(Shell|Process)Execution$/]',
  message: 'Run tasks by `CustomExecution`: in a remote window others run on the remote machine.',
};
const talk = [
  {
    selector:
      "CallExpression[callee.property.name='on']:matches([callee.object.name=/[hH]ub$/], [callee.object.property.name='hub']), CallExpression[callee.property.name='broadcast']",
    message: 'Talk to the other windows by shared/channel.ts, which checks the whole message.',
  },
  {
    selector: "CallExpression[callee.property.name='claim']:not([callee.object.property.name='claims'])",
    message: 'Act in one window by `OneWindow`, or by `mayAct` where the disk must agree.',
  },
  {
    selector:
      "MemberExpression[property.name='focused'][object.property.name='state'], MemberExpression[property.name='onDidChangeWindowState']",
    message: 'Ask `windowInUse` whether somebody looks at this window.',
  },
  {
    selector:
      "CallExpression[callee.property.name='onDidChange']:matches([callee.object.name='accounts'], [callee.object.property.name='accounts'])",
    message: 'Follow another account by `followAccount`, and what is known of it by `watchAccounts`.',
  },
];
const rawInput = [
  {
    selector: "CallExpression[callee.property.name='click']",
    message:
      'Click by test/support/press.ts: what is there when the button goes down may be another element.',
  },
  {
    selector: "CallExpression[callee.property.name='press'][arguments.0.value='Enter']",
    message: 'Press Enter by test/support/press.ts, which waits for the focus.',
  },
];
const lazyUndici = {
  name: 'undici',
  message: 'Load it with `loadUndici` and pass an explicit dispatcher.',
  allowTypeImports: true,
};

/** Node.js throws these for users without an entry in the account database. */
const systemFacts = ['userInfo', 'homedir', 'hostname'];
const throughThisUser = 'Ask util/thisUser.ts, which knows a way on where Node.js throws.';

/** The files of src that run without an editor. */
const editorless = [
  ...Object.keys(rings).filter((ring) => !usesEditor.includes(ring)),
  ...Object.keys(wings).map((wing) => `${wing}/!(ui)`),
].map((folder) => `src/${folder}/**/*.ts`);

export default tseslint.config(
  {
    ignores: ['dist/**', 'out/**', 'node_modules/**', 'coverage/**', 'l10n/**'],
  },
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    extends: [...tseslint.configs.strict],
    plugins: { house: { rules: { arrows, 'import-order': importOrder, 'module-state': moduleState } } },
    rules: {
      curly: 'error',
      'house/import-order': 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-restricted-syntax': ['error', namedZod, globalDispatcher, sentences, messages, inputs],
    },
  },
  {
    files: ['src/editor/localize.ts', 'test/support/fakeEditor/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', namedZod, globalDispatcher] },
  },
  {
    files: ['src/editor/message.ts'],
    rules: { 'no-restricted-syntax': ['error', namedZod, globalDispatcher, sentences, inputs] },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { paths: [lazyUndici] }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'house/arrows': 'error', 'house/module-state': 'error' },
  },
  {
    files: editorless,
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [lazyUndici, { name: 'vscode', message: 'This runs without an editor.' }] },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/util/thisUser.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: ['node:os', 'os'].map((name) => ({
            name,
            importNames: systemFacts,
            message: throughThisUser,
          })),
        },
      ],
      'no-restricted-properties': [
        'error',
        ...systemFacts.map((property) => ({ object: 'os', property, message: throughThisUser })),
      ],
    },
  },
  {
    // What windows share has one form in src/shared; the composition hands the editor's focus to it.
    files: ['src/**/*.ts'],
    ignores: ['src/shared/**', 'src/createServices.ts', 'src/editor/localize.ts', 'src/editor/message.ts'],
    rules: {
      'no-restricted-syntax': ['error', namedZod, globalDispatcher, sentences, messages, inputs, ...talk],
    },
  },
  {
    // The two widgets of the engine.
    files: ['src/editor/quickList.ts', 'src/editor/quickText.ts'],
    rules: {
      'no-restricted-syntax': ['error', namedZod, globalDispatcher, sentences, messages, ...talk],
    },
  },
  {
    // The two adapters through which every command and context key goes.
    files: ['src/features/**/*.ts', 'src/*/ui/**/*.ts', 'src/app.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        namedZod,
        globalDispatcher,
        sentences,
        messages,
        inputs,
        ...talk,
        icons,
        markdown,
        deadCancel,
        terminals,
        shellTasks,
        {
          selector:
            "CallExpression[callee.property.name='registerCommand'][callee.object.property.name='commands']",
          message: 'Register through editor/commands.ts, which reports errors.',
        },
        {
          selector: "CallExpression[callee.property.name='executeCommand'][arguments.0.value='setContext']",
          message: 'Set context keys through editor/contextKeys.ts.',
        },
        {
          selector: "CallExpression[callee.property.name='getConfiguration']",
          message: 'Read settings through editor/settings.ts.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
    },
  },
  {
    files: ['test/unit/**/*.ts', 'test/contract/**/*.ts', 'test/feature/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        namedZod,
        globalDispatcher,
        sentences,
        {
          selector: "CallExpression[callee.property.name='bail']",
          message: 'Of files that run side by side, one that bails ends all others unseen.',
        },
      ],
    },
  },
  {
    files: ['test/ui/**/*.ts', 'test/support/*.ts'],
    ignores: ['test/support/press.ts'],
    rules: { 'no-restricted-syntax': ['error', namedZod, globalDispatcher, sentences, ...rawInput] },
  },
);
