import type { Template } from '../../model/templates/template';

/** The templates of the last list. */
export class ListedTemplates {
  private accountKey: string | undefined;
  private templates = new Map<number, Template>();

  get(accountKey: string, id: number): Template | undefined {
    return accountKey === this.accountKey ? this.templates.get(id) : undefined;
  }

  /** Takes in the list of an account, which replaces the one before. */
  take(accountKey: string, templates: readonly Template[]): void {
    this.accountKey = accountKey;
    this.templates = new Map(templates.map((template) => [template.id, template]));
  }

  /** Notes that a template was deleted. */
  delete(id: number): void {
    this.templates.delete(id);
  }
}
