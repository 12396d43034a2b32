/* rotation.h: rotations as unit quaternions q = (w, x, y, z), q = q_0 exp(xi), with velocities in the body's frame. */
#ifndef CAROM_ROTATION_H
#define CAROM_ROTATION_H

void carom_rotation_drift(const double q[4], const double xi[3], double out[4]); /* out may be q */
void carom_rotation_local(const double q[4], const double to[4], double xi[3]);  /* the shorter way */
void carom_rotation_rate(const double xi[3], const double v[3], double out[3]);
void carom_rotation_velocity(const double xi[3], const double rate[3], double out[3]);
void carom_rotation_rate_change(const double xi[3], const double v[3], const double d[3], double out[3]);
/* A vector of the body in space, and one of space in the body. */
void carom_rotation_to_space(const double q[4], const double x[3], double out[3]);
void carom_rotation_to_body(const double q[4], const double x[3], double out[3]);
void carom_cross(const double a[3], const double b[3], double out[3]); /* out may be neither */

#endif
