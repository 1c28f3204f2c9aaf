import { ForbiddenError, GoneError, NotFoundError, RefusedError, UnauthorizedError } from '../../api/errors';
import { permissionOfRoute } from '../../model/accounts/routePermissions';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';

/** Whether another try can't help before something changes. */
export function isLasting(error: unknown): boolean {
  const kinds = [ForbiddenError, GoneError, NotFoundError, RefusedError, UnauthorizedError, OtherEntryError];
  return kinds.some((kind) => error instanceof kind);
}

/** The service keeps one entry for a call, and the user has made another one for this. */
export class OtherEntryError extends UserError {
  constructor() {
    super(text('The timetable of the service has another entry for this instance. It was not changed.'));
  }
}

/** A key without the permission is also refused with 401, which may not name it. */
export function timetableProblem(error: unknown): Text | undefined {
  if (error instanceof UnauthorizedError) {
    const needed = error.route === undefined ? undefined : permissionOfRoute(error.route);
    return new ForbiddenError({ needed }).text;
  }
  return error instanceof UserError ? error.text : undefined;
}
