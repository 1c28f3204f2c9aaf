import type { ListProblem } from '../../editor/listRows';
import type { PartId } from './accountParts';

/** A row of the account view, also the argument of its commands. */
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
  | { readonly kind: 'problem'; readonly part: PartId; readonly problem: ListProblem };

/** Returns the same object for the same row, so that the editor keeps the expansion and selection. */
export class AccountNodes {
  private readonly nodes = new Map<string, AccountNode>();

  of<Node extends AccountNode>(node: Node): Node {
    const id = JSON.stringify(node);
    const known = this.nodes.get(id) ?? node;
    this.nodes.set(id, known);
    // The id is made from the whole node, so the found node has its shape.
    return known as Node;
  }

  isOwn(node: object): node is AccountNode {
    return 'kind' in node && this.nodes.get(JSON.stringify(node)) === node;
  }
}
