/** Scripts for other machines, as text (`esbuild.mjs`, `scripts/sources.cjs`). */
declare module '*.sh' {
  const source: string;
  export default source;
}
declare module '*.py' {
  const source: string;
  export default source;
}
