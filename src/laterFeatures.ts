import { register as registerDiagnostics } from './features/diagnostics';
import { register as registerDoctor } from './features/doctor';
import { register as registerFiles } from './features/files';
import { register as registerGuides } from './features/guides';
import { register as registerInstancePage } from './features/instancePage';
import { register as registerLifecycle } from './features/lifecycle';
import { register as registerNotifications } from './features/notifications';
import { register as registerRent } from './features/rent';
import { register as registerSearch } from './features/search';
import type { Services } from './services';
import type { Disposable } from './util/disposable';

/**
 * Features that do nothing before one of their commands runs. The first command loads the code of all of them: separate
 * files would be a fifth larger, because they share code.
 */
export const laterFeatures: readonly ((services: Services) => Disposable)[] = [
  registerDiagnostics,
  registerDoctor,
  registerFiles,
  registerGuides,
  registerInstancePage,
  registerLifecycle,
  registerNotifications,
  registerRent,
  registerSearch,
];
