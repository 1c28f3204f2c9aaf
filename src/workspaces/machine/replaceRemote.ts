import { randomBytes } from 'node:crypto';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { SftpError, type SftpClient } from './client';
import { folderOf, joinRaw, nameOf } from './rawPath';
import type { Attributes } from './wire';

const permissions = 0o7777;

/**
 * Replaces the content of a file in one step, so that a program there reads the old or the new one. Where the path is a
 * link, the file that it leads to is replaced. Owner and permissions stay. Throws `SftpError`; nothing has changed then.
 */
export async function replaceRemote(
  client: SftpClient,
  path: string,
  content: Uint8Array,
): Promise<Attributes> {
  const before = await ifThere(client.stat(path));
  const target = before ? await client.realPath(path) : path;
  const mark = `.gpu-rental-${randomBytes(6).toString('hex')}.part`;
  const part = joinRaw(folderOf(target), `.${nameOf(target).slice(0, 200)}${mark}`);
  const mode = before?.mode === undefined ? 0o644 : before.mode & permissions;
  try {
    await client.write(part, [content], { mode });
    await keepOwner(client, part, before, mode);
    if (!(await client.replace(part, target))) {
      await replaceInSteps(client, part, target, before !== undefined);
    }
  } catch (error) {
    await client.remove(part).catch(() => undefined);
    throw await whyNot(client, folderOf(target), content.length, error);
  }
  return client.stat(target);
}

/** For a server that can't replace: the file before is put back where the new one can't take its place. */
async function replaceInSteps(
  client: SftpClient,
  part: string,
  target: string,
  isThere: boolean,
): Promise<void> {
  const before = `${part}.before`;
  if (isThere) {
    await client.rename(target, before);
  }
  try {
    await client.rename(part, target);
  } catch (error) {
    if (isThere) {
      await client.rename(before, target);
    }
    throw error;
  }
  if (isThere) {
    await client.remove(before).catch(() => undefined);
  }
}

/** Returns undefined where nothing has the name. */
export async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SftpError && error.kind === 'missing') {
      return undefined;
    }
    throw error;
  }
}

/** Setting the owner takes set-user bits away, so the permissions follow. Only root can set another one. */
async function keepOwner(
  client: SftpClient,
  part: string,
  before: Attributes | undefined,
  mode: number,
): Promise<void> {
  const own = before?.owner && (await client.stat(part)).owner;
  if (before?.owner && (own?.user !== before.owner.user || own.group !== before.owner.group)) {
    await client.setAttributes(part, { owner: before.owner });
    await client.setAttributes(part, { mode });
  }
}

/** Servers give no reason for a full disk. */
async function whyNot(client: SftpClient, folder: string, bytes: number, error: unknown): Promise<unknown> {
  if (error instanceof SftpError && error.kind === 'failed') {
    const free = await client.freeBytes(folder).catch(() => undefined);
    if (free !== undefined && free < bytes) {
      return new UserError(text('The disk of the instance is full.'), { cause: error });
    }
  }
  return error;
}
