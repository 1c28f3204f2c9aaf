type Attributes = Readonly<Record<string, string>>;

/** Makes an element; text is set as text, never as markup, so that no name from the service can be code. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Returns a colour of the current theme, or `fallback` if the theme has none. */
export function themeColor(name: string, fallback: string): string {
  const value = getComputedStyle(document.body).getPropertyValue(`--vscode-${name}`).trim();
  return value === '' ? fallback : value;
}
