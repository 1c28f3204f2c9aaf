import type { ListProblem } from '../../editor/listRows';

/** The nodes of the templates tree: plain data, which are also the arguments of its commands. */
export const groups = ['mine', 'favourites', 'recent', 'recommended'] as const;
export type TemplateGroup = (typeof groups)[number];

export type TemplateNode =
  | { readonly kind: 'group'; readonly group: TemplateGroup }
  | { readonly kind: 'template'; readonly group: TemplateGroup; readonly templateId: number }
  /** Represents the rows of a group that are not shown yet. */
  | { readonly kind: 'more'; readonly group: TemplateGroup }
  | ListProblem;

/** The editor creates all rows of a group at once, in view or not, and thousands would block it. */
export const rowsAtOnce = 200;

/** Keeps one object per node, so that refreshes do not move selection or focus. */
export class TemplateNodes {
  private readonly groups = new Map<TemplateGroup, TemplateNode>();
  private readonly mores = new Map<TemplateGroup, TemplateNode>();
  private templates = new Map<string, TemplateNode>();

  group(group: TemplateGroup): TemplateNode {
    const node = this.groups.get(group) ?? { kind: 'group', group };
    this.groups.set(group, node);
    return node;
  }

  more(group: TemplateGroup): TemplateNode {
    const node = this.mores.get(group) ?? { kind: 'more', group };
    this.mores.set(group, node);
    return node;
  }

  list(group: TemplateGroup, ids: readonly number[]): TemplateNode[] {
    const others = [...this.templates].filter(([key]) => !key.startsWith(`${group}/`));
    const made = ids.map((templateId): [string, TemplateNode] => {
      const key = `${group}/${templateId}`;
      return [key, this.templates.get(key) ?? { kind: 'template', group, templateId }];
    });
    this.templates = new Map([...others, ...made]);
    return made.map(([, node]) => node);
  }
}
