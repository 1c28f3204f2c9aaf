import { NotFoundError } from '../../api/errors';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking } from '../../editor/progress';
import { askLine, pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { isCategory, permissionMeaning } from '../../model/accounts/permissionText';
import type { TeamRole } from '../../model/accounts/teamRole';
import type { Account } from '../../store/accounts/accounts';
import { listOrNone } from '../../store/unlisted';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';

/** Finds a role by name and shows its permissions. */
export async function showTeamRole(account: Account, wantedName: string | undefined): Promise<void> {
  const title = titleOf('gpuRental.teamRole.show');
  const role =
    wantedName === undefined ? await chooseRole(account, title) : await roleNamed(account, wantedName);
  if (!role) {
    return;
  }
  if (role.permissions.length === 0) {
    message('info', t('The team role {0} has no permissions.', plainLabel(role.name)));
    return;
  }
  await pickOne(
    role.permissions.map((permission) => ({
      label: plainLabel(permission),
      detail: isCategory(permission) ? localize(permissionMeaning[permission]) : '',
    })),
    {
      title: t('Team Role {0} (#{1})', plainLabel(role.name), role.id),
      placeHolder: t('What this role may do'),
    },
  );
}

/** Lets the user pick a role from the list, or type its name if the list can't be read. */
async function chooseRole(account: Account, title: string): Promise<TeamRole | undefined> {
  const roles = await listOrNone(whileAsking(account.client.teamRoles.list()));
  if (roles && roles.items.length > 0) {
    const picked = await pickOne(
      roles.items.map((role) => ({
        label: plainLabel(role.name),
        description: t('Permissions: {0}', role.permissions.length),
        role,
      })),
      { title, placeHolder: t('Which one?') },
    );
    return picked?.role;
  }
  const name = await askLine({ title, prompt: t('Name of the role.') });
  return name === undefined || name.trim() === '' ? undefined : roleNamed(account, name.trim());
}

async function roleNamed({ client }: Account, name: string): Promise<TeamRole> {
  try {
    return await whileAsking(client.teamRoles.get(name));
  } catch (error) {
    throw error instanceof NotFoundError
      ? new UserError(text('There is no team role “{0}”. Check the name and try again.', plainLabel(name)), {
          cause: error,
        })
      : error;
  }
}
