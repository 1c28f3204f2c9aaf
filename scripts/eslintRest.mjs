/** `npm run lint:rest`: the rules that need types and that oxlint does not have. */
import tseslint from 'typescript-eslint';
import { moduleState } from './eslintModuleState.mjs';

export const restRules = ['no-unsafe-class-instance-assignment'];

export default tseslint.config({
  files: ['src/**/*.ts', 'test/**/*.ts'],
  // The stand-in has classes of its own where the editor has its own.
  ignores: ['test/support/fakeEditor/**', 'test/support/feature/**', 'test/feature/**', 'test/unit/**'],
  // Comments in the sources name the other rule.
  plugins: { '@typescript-eslint': tseslint.plugin, house: { rules: { 'module-state': moduleState } } },
  linterOptions: { reportUnusedDisableDirectives: 'off' },
  languageOptions: {
    parser: tseslint.parser,
    parserOptions: {
      // Named, not found by a service for each file, which takes half as long again.
      project: ['tsconfig.json', 'src/webview/tsconfig.json', 'test/support/chartPage/tsconfig.json'],
      tsconfigRootDir: process.cwd(),
    },
  },
  rules: Object.fromEntries(restRules.map((name) => [`@typescript-eslint/${name}`, 'error'])),
});
