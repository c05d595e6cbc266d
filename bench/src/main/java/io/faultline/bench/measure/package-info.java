/**
 * How figures come about that one run on a noisy machine can defend: what is compared runs by turns in random order, beside a second run of the base as a control; a figure has a 95 % interval, widened by
 * what the control shows; and a target is reached, missed, or cannot be resolved.
 */
package io.faultline.bench.measure;
