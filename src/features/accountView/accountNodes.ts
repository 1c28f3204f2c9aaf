import type { PartId } from './accountParts';

/** A row of the account view; commands get the same data. */
export type AccountNode =
  | { readonly kind: 'user' }
  | { readonly kind: 'credit' }
  | { readonly kind: 'key' }
  | { readonly kind: 'userSshKey' }
  | { readonly kind: 'part'; readonly part: PartId }
  | { readonly kind: 'group'; readonly groupId: string }
  | { readonly kind: 'tfaMethod'; readonly methodId: number }
  | { readonly kind: 'backupCodes' }
  | { readonly kind: 'apiKey'; readonly apiKeyId: number }
  | { readonly kind: 'secret'; readonly secretName: string }
  | { readonly kind: 'teamRole'; readonly roleName: string }
  | { readonly kind: 'none'; readonly part: PartId }
  | { readonly kind: 'problem'; readonly part: PartId }
  | { readonly kind: 'skipped'; readonly part: PartId; readonly skipped: number };

/** The same object for the same row, so that the editor keeps what is open and selected. */
export class AccountNodes {
  private readonly nodes = new Map<string, AccountNode>();

  of<Node extends AccountNode>(node: Node): Node {
    const id = JSON.stringify(node);
    const known = this.nodes.get(id) ?? node;
    this.nodes.set(id, known);
    // The id is made of the whole node, so what is found has its shape.
    return known as Node;
  }

  isOwn(node: object): node is AccountNode {
    return 'kind' in node && this.nodes.get(JSON.stringify(node)) === node;
  }
}
