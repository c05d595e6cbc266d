/** The bundled broker in tests on JUnit Jupiter, which must be on the class path of whoever uses this package. */
package io.faultline.broker.junit;
