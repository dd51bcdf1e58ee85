import { CONFIGURATION_TYPE, type ScimConfiguration } from './scim-configuration.dto.js';
import type { ConfigurationFigures, StoredConfiguration } from './scim-configurations.repository.js';

/** A configuration as the API shows it. */
export function present(row: StoredConfiguration & ConfigurationFigures): ScimConfiguration {
  return { ...row, object: CONFIGURATION_TYPE };
}
