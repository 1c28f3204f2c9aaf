import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountRef } from '../model/accounts/account';
import { homeFolder } from '../util/thisUser';
import { hostLine } from './hostConfig';
import { ownFolder } from './paths';
import { checkId, isAlias, isWorkspaceHost } from './validate';

/** Instances at this address have the short alias (docs/rules.md#names-that-others-rely-on). */
const defaultServiceUrl = 'https://console.vast.ai';

export type AliasAccount = Pick<AccountRef, 'serviceUrl' | 'isDemo'>;

/**
 * Returns the name of an instance in the SSH config: `gpu-<id>`, `gpu-<6 hex of the address>-<id>` or
 * `gpu-demo-<id>`. It never changes, so that an open window finds a machine that moved.
 */
export function aliasOf(account: AliasAccount, instanceId: number): string {
  return `${aliasStart(account)}${checkId(instanceId)}`;
}

/** Returns what the aliases of all instances of an account have before the id. */
export function aliasStart(account: AliasAccount): string {
  if (account.isDemo) {
    return 'gpu-demo-';
  }
  const address = normalAddress(account.serviceUrl);
  return address === defaultServiceUrl ? 'gpu-' : `gpu-${sha256(address).slice(0, 6)}-`;
}

/** Returns the alias and the instance of a remote window; `undefined` for other hosts. */
export function hostInAuthority(
  authority: string | undefined,
  ownDir: () => string = () => ownFolder({ home: homeFolder(), platform: process.platform }),
): { readonly alias: string; readonly instanceId: number } | undefined {
  const host = /^ssh-remote\+(.+)$/.exec(authority ?? '')?.[1];
  const alias = isWorkspaceHost(host) ? aliasOfWorkspace(host, ownDir()) : host;
  return isAlias(alias) ? { alias, instanceId: Number(/(?<!\d)\d+$/.exec(alias)?.[0]) } : undefined;
}

/** Returns the host name of a workspace, which stays when its work goes to another instance: `gpu-ws-<name>`. */
export function workspaceHostOf(name: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
  const host = `gpu-ws-${letters.replace(/^-/, '').slice(0, 40)}`.replace(/-$/, '');
  return isWorkspaceHost(host) ? host : `gpu-ws-${sha256(name).slice(0, 8)}`;
}

/**
 * Reads which instance the name of a workspace leads to. At once, because a window asks while it starts; only one with
 * such a name does.
 */
function aliasOfWorkspace(host: string, ownDir: string): string | undefined {
  try {
    return readdirSync(ownDir)
      .map((file) => file.replace(/\.conf$/, ''))
      .find(
        (alias) =>
          isAlias(alias) &&
          readFileSync(join(ownDir, `${alias}.conf`), 'utf8').includes(`\n${hostLine(alias, host)}\n`),
      );
  } catch {
    // Without our files, no name leads to an instance.
    return undefined;
  }
}

/** Returns the alias that a terminal of ours logs in to: it runs ssh with the alias as a separate argument. */
export function aliasInArguments(args: unknown): string | undefined {
  return Array.isArray(args) ? args.find(isAlias) : undefined;
}

/** Returns a mark that identifies an account in our files without revealing it. */
export function accountMark(accountKey: string): string {
  return sha256(accountKey).slice(0, 16);
}

function normalAddress(serviceUrl: string): string {
  try {
    const url = new URL(serviceUrl);
    return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, '');
  } catch {
    return serviceUrl;
  }
}

export function sha256(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
