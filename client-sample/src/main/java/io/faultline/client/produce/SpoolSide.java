package io.faultline.client.produce;

import io.faultline.client.loop.Callbacks;
import io.faultline.client.spool.Spool;
import io.faultline.client.spool.SpoolFigures;
import io.faultline.client.spool.SpoolHooks;

/**
 * A spool, and whom it concerns.
 *
 * @param spool the spool, open
 * @param figures its figures
 * @param hooks the application's
 * @param callbacks where the application is told
 */
public record SpoolSide(Spool spool, SpoolFigures figures, SpoolHooks hooks, Callbacks callbacks) {}
