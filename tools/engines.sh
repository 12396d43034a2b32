#!/bin/sh
# engines.sh BUILD [SPHERES]: spheres that settle in a box, with Carom and with ODE, Bullet and MuJoCo, and with
# Siconos on Bullet's collision detection, where they are installed (libode-dev, libbullet-dev, libmujoco-dev,
# python3-siconos with python3-h5py): the processor's time of a step, and how exact it was.
set -eu
build=$1 spheres=${2:-200}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$build/bench/bench-bodies" spheres "$spheres"

other() # NAME FLAGS...: compiles and runs, if it is there
{
    name=$1
    shift
    if c++ -O2 "-DUSE_$name" bench/others/spheres.cpp -o "$tmp/$name" "$@" 2>"$tmp/log"; then
        "$tmp/$name" "$spheres" || echo "$name failed"
    else
        echo "left out: $name is not installed"
    fi
}

other ODE -lode
other BULLET -I/usr/include/bullet -lBulletDynamics -lBulletCollision -lLinearMath
other MUJOCO -lmujoco
python3 bench/others/siconos_spheres.py "$spheres" || :
